// The instructions by which a GPU multiplies int8, and which of them it has.
#ifndef LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_
#define LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// From the slowest to the fastest where a GPU has several.
enum class GpuIsa {
  kDp4a,   // four products a lane
  kMma,    // mma.sync.m16n8k32: compute capability 8.0 and later
  kWgmma,  // wgmma: compute capability 9.0 alone
};

// What CUDA calls a GPU's generation: {9, 0} for H100 and H200.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

// "dp4a", "mma", "wgmma".
absl::string_view GpuIsaName(GpuIsa isa);

// InvalidArgument lists the names.
absl::StatusOr<GpuIsa> ParseGpuIsa(absl::string_view name);

// The oldest that kernels are compiled for is 7.5.
bool IsSupported(GpuIsa isa, const ComputeCapability& capability);
std::vector<GpuIsa> SupportedGpuIsas(const ComputeCapability& capability);

// The current device's. Unavailable: there is none.
absl::StatusOr<ComputeCapability> CurrentComputeCapability();

// Those that the current device has, and this program code for it (lib/kernels/kernel_code.h), the fastest last.
// FailedPrecondition: the device is older than 7.5. Unavailable: there is none, or no code for it.
absl::StatusOr<std::vector<GpuIsa>> CurrentGpuIsas();

// The last of them.
absl::StatusOr<GpuIsa> BestGpuIsa();

// FailedPrecondition when the current device or the program lacks `isa`, with the best that there is.
absl::Status CheckGpuIsa(GpuIsa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_
