// NCCL communicator among some of the ranks of gpu_all_reduce_benchmark: those of a host, or one of each host. The
// communicator of lib/communicator has all ranks of a run.
#ifndef LOCKSTEP_BENCHMARKS_NCCL_GROUP_H_
#define LOCKSTEP_BENCHMARKS_NCCL_GROUP_H_

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/launch/store.h"

namespace lockstep {

// Place of a rank among the ranks of a group.
struct GroupPlace {
  std::string name;  // name of the group, short and different from those of the run's other groups
  int index = 0;     // index of this rank
  int size = 1;      // number of ranks, at least 1
};

// All ranks of a group must make the same calls in the same order. The calls are queued on `stream`, work in place, and
// can be captured in a graph. Functions return UnavailableError, with NCCL's reason, if a call fails or does not return
// within the timeout. Not thread-safe.
class NcclGroup {
 public:
  // Connects the ranks of the group, each with its GPU as the current device. NCCL's environment must be set already
  // (lib/communicator/nccl_environment.h). Also returns the errors of the store.
  static absl::StatusOr<std::unique_ptr<NcclGroup>> Make(Store& store, const GroupPlace& place, absl::Duration timeout);

  // Aborts the communicator. All work on it must be complete on all ranks, because this rank's threads may still send.
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  int index() const { return place_.index; }
  int size() const { return place_.size; }
  ncclComm_t communicator() const { return communicator_; }

  // Replaces `count` elements by their sums over the group.
  absl::Status AllReduceSum(void* data, size_t count, ncclDataType_t type, cudaStream_t stream);

  // The next functions divide `count` elements of `element_bytes` bytes into one share per rank. `count` must be a
  // multiple of size().

  // Replaces this rank's share by its sum over the group.
  absl::Status ReduceScatterSum(void* data, size_t count, size_t element_bytes, ncclDataType_t type,
                                cudaStream_t stream);

  // Replaces every share by that of its rank.
  absl::Status AllGather(void* data, size_t count, size_t element_bytes, ncclDataType_t type, cudaStream_t stream);

  // Waits until the communicator has accepted a call that returned `result`; `operation` names the call in errors.
  absl::Status Settle(ncclResult_t result, absl::string_view operation);

 private:
  NcclGroup(const GroupPlace& place, absl::Duration timeout) : place_(place), timeout_(timeout) {}

  const GroupPlace place_;
  const absl::Duration timeout_;
  ncclComm_t communicator_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_NCCL_GROUP_H_
