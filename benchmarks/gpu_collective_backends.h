// Implementations that a rank of gpu_all_reduce_benchmark compares, and the memory of their data.
#ifndef LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_BACKENDS_H_
#define LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_BACKENDS_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "benchmarks/collective_terms.h"
#include "benchmarks/hierarchical_sum.h"
#include "benchmarks/nccl_group.h"
#include "benchmarks/nccl_window.h"
#include "lib/base/host_topology.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/share_collectives.h"
#include "lib/launch/launch.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/peer/device_all_reduce.h"

namespace lockstep {

struct GpuBackendsOptions {
  bool bf16 = false;               // element type: bf16 or fp32
  size_t max_bytes = 0;            // bytes of the largest data
  bool sums = true;                // true: all-reduces are measured
  AllReduceCrossovers crossovers;  // crossovers of the way "auto"
};

// Bytes after the largest data, by which a write beyond the end of the data is noticed.
inline constexpr size_t kGuardBytes = 64 << 10;

// Not thread-safe. All ranks must make the same calls in the same order.
class GpuBackends {
 public:
  // Connects the ranks and allocates the memory. All ranks must call this function together with the same options.
  // Errors are those of the parts. A part that this machine cannot have is no error (left_out).
  static absl::StatusOr<std::unique_ptr<GpuBackends>> Open(RankContext& context, const GpuBackendsOptions& options);
  ~GpuBackends();
  GpuBackends(const GpuBackends&) = delete;
  GpuBackends& operator=(const GpuBackends&) = delete;

  int rank() const { return context_.rank; }
  int ranks() const { return context_.size; }
  const HostTopology& hosts() const { return *hosts_; }
  const at::TensorOptions& tensor() const { return tensor_; }  // device and dtype of the data
  size_t element_bytes() const { return tensor_.dtype().itemsize(); }
  SumElement element() const;
  TermType term_type() const { return tensor_.dtype() == at::kBFloat16 ? TermType::kBfloat16 : TermType::kFloat; }

  Communicator& nccl() const { return *nccl_; }
  ShareCollectives& shares() const { return *shares_; }                  // halves of NCCL's all-reduce
  DeviceAllReduce* peers() const { return peers_.get(); }                // null: the ranks are on several hosts
  HierarchicalSum* hierarchical() const { return hierarchical_.get(); }  // null: WhyNotHierarchical
  NcclGroup* window_group() const { return window_group_.get(); }        // null: WhyNoNcclWindow
  NcclWindow* window() const { return window_.get(); }                   // null: WhyNoNcclWindow

  // Memory of the data of all ways but NCCL's window: max_bytes and kGuardBytes.
  uint8_t* data() const { return data_; }

  // Ways without rows, each with the reason: "nccl_window: the ranks are on 2 hosts". The same on all ranks.
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Queues a sum of one element, after which all ranks are ready, on the current stream.
  absl::Status Align();

  // Queues an operation without effect, for a rank that has no part in a call: a graph must have an operation.
  absl::Status Idle(cudaStream_t stream);

  // Returns UnavailableError if a rank did not arrive in time.
  absl::Status Health() const;

 private:
  explicit GpuBackends(RankContext& context) : context_(context) {}

  absl::Status Init(const GpuBackendsOptions& options);
  absl::Status OpenOneHost(const GpuBackendsOptions& options);
  absl::Status OpenSeveralHosts(const GpuBackendsOptions& options);
  absl::Status OpenWindow(const GpuBackendsOptions& options);

  RankContext& context_;
  std::unique_ptr<HostTopology> hosts_;
  at::TensorOptions tensor_;
  std::unique_ptr<Communicator> nccl_;
  ShareCollectives* shares_ = nullptr;  // owned by nccl_
  std::unique_ptr<DeviceAllReduce> peers_;
  std::unique_ptr<HierarchicalSum> hierarchical_;
  std::unique_ptr<NcclGroup> window_group_;
  std::unique_ptr<NcclWindow> window_;  // destroyed before window_group_
  at::Tensor own_;                      // memory of data_ if no part shares memory
  at::Tensor one_;                      // fp32, one element
  uint8_t* data_ = nullptr;
  std::vector<std::string> left_out_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_GPU_COLLECTIVE_BACKENDS_H_
