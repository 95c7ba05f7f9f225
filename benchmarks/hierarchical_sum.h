// All-reduce on the GPUs of several hosts in three steps:
//   1. reduce-scatter within the host: each rank gets the host's sum of one share;
//   2. all-reduce of the share among counterparts, the ranks of the same index on the other hosts, over NCCL;
//   3. all-gather within the host.
// Steps 1 and 3 use NCCL, or copy engines and the GPUs' own memory (lib/peer). For gpu_all_reduce_benchmark.
#ifndef LOCKSTEP_BENCHMARKS_HIERARCHICAL_SUM_H_
#define LOCKSTEP_BENCHMARKS_HIERARCHICAL_SUM_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "benchmarks/nccl_group.h"
#include "lib/base/host_topology.h"
#include "lib/launch/store.h"
#include "lib/peer/device_all_reduce.h"

namespace lockstep {

// Returns the reason why a sum over these hosts has no three steps, or an empty text: the hosts must be several, with
// the same number of ranks, at least two.
std::string WhyNotHierarchical(const HostTopology& hosts);

// Element type of a sum.
struct SumElement {
  ncclDataType_t type = ncclFloat32;  // ncclFloat32 or ncclBfloat16
  size_t bytes = 4;
};

// All ranks must make the same calls in the same order, on one stream each. The calls can be captured. Not thread-safe.
class HierarchicalSum {
 public:
  // Connects the ranks. All ranks must call this function together with the same `max_bytes`, each with its GPU as the
  // current device; WhyNotHierarchical(hosts) must be empty. Errors are those of the store, of NcclGroup::Make and of
  // DeviceAllReduce::Make, except that GPUs without shared memory are no error (why_no_copies).
  static absl::StatusOr<std::unique_ptr<HierarchicalSum>> Make(Store& store, int rank, const HostTopology& hosts,
                                                               size_t max_bytes, absl::Duration timeout);

  // Reason why ByCopies cannot be used, the same on all ranks; empty: it can be used.
  const std::string& why_no_copies() const { return why_no_copies_; }

  // Memory of `max_bytes` bytes that ByCopies sums, aligned to 256 bytes; null if there is a why_no_copies.
  uint8_t* shared() const { return peers_ == nullptr ? nullptr : peers_->shared(); }

  // Number of elements of which `count` must be a multiple in ByNccl: the ranks of a host.
  size_t share_step() const { return static_cast<size_t>(in_host_->size()); }

  // Step 2 alone: replaces `count` elements at `data`, in any memory of the GPU, by their sums over this rank and its
  // counterparts. Errors are those of NcclGroup.
  absl::Status AmongCounterparts(void* data, size_t count, SumElement element, cudaStream_t stream) {
    return counterparts_->AllReduceSum(data, count, element.type, stream);
  }

  // Replaces `count` elements at `data`, in any memory of the GPU, by their sums over all ranks. Errors are those of
  // NcclGroup.
  absl::Status ByNccl(void* data, size_t count, SumElement element, cudaStream_t stream);

  // Replaces the first `count` elements of shared(), any number, by their sums. Errors are those of NcclGroup and
  // DeviceAllReduce.
  absl::Status ByCopies(size_t count, SumElement element, cudaStream_t stream);

  // Returns UnavailableError if a rank of this host did not arrive within the timeout.
  absl::Status Health() const { return peers_ == nullptr ? absl::OkStatus() : peers_->Health(); }

 private:
  HierarchicalSum() = default;

  template <typename W>
  absl::Status SumByCopies(size_t count, SumElement element, cudaStream_t stream);

  std::unique_ptr<NcclGroup> in_host_;       // ranks of this host
  std::unique_ptr<NcclGroup> counterparts_;  // ranks of the same index, by host
  std::unique_ptr<DeviceAllReduce> peers_;   // ranks of this host; null if there is a why_no_copies
  std::string why_no_copies_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_HIERARCHICAL_SUM_H_
