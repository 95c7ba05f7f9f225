// Memory that is registered with NCCL as a symmetric window (ncclCommWindowRegister, NCCL 2.27 and newer). NCCL sums it
// by kernels that access the other ranks' memory directly.
#ifndef LOCKSTEP_BENCHMARKS_NCCL_WINDOW_H_
#define LOCKSTEP_BENCHMARKS_NCCL_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "benchmarks/nccl_group.h"

namespace lockstep {

// Returns the reason why NCCL has no symmetric windows here, or an empty text. `hosts` is the number of hosts of the
// ranks, and `ranks_per_gpu` the number of ranks that share a GPU. NCCL itself reports no reason: it registers the
// memory in another way, and sums as without a window. All ranks must have the same environment.
std::string WhyNoNcclWindow(int hosts, uint32_t ranks_per_gpu);

class NcclWindow {
 public:
  // Allocates `bytes` bytes and registers them. All ranks of the group must call this function together with the same
  // `bytes`, each with its GPU as the current device. WhyNoNcclWindow must be empty, and `group` must outlive the
  // window. Returns ResourceExhaustedError if the GPU has too little memory, and UnavailableError if NCCL fails.
  static absl::StatusOr<std::unique_ptr<NcclWindow>> Make(NcclGroup& group, size_t bytes);
  ~NcclWindow();
  NcclWindow(const NcclWindow&) = delete;
  NcclWindow& operator=(const NcclWindow&) = delete;

  uint8_t* data() const { return data_; }  // aligned to 4096 bytes

 private:
  explicit NcclWindow(NcclGroup& group) : group_(group) {}

  NcclGroup& group_;
  uint8_t* data_ = nullptr;
  void* window_ = nullptr;  // ncclWindow_t, a type that older versions of NCCL lack
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_NCCL_WINDOW_H_
