// GpuIsa: the instructions by which a GPU multiplies int8, and their detection.
#ifndef LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_
#define LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// In order of speed on a GPU that has several, the slowest first.
enum class GpuIsa {
  kDp4a,   // four products per lane
  kMma,    // mma.sync.m16n8k32: compute capability 8.0 and later
  kWgmma,  // wgmma: compute capability 9.0 only
};

// Generation of a GPU in CUDA's terms: {9, 0} for H100 and H200.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

// Returns "dp4a", "mma" or "wgmma".
absl::string_view GpuIsaName(GpuIsa isa);

// Returns InvalidArgumentError, which lists the names, for an unknown name.
absl::StatusOr<GpuIsa> ParseGpuIsa(absl::string_view name);

// Returns true if a GPU of this capability has the instructions. The oldest capability with kernels is 7.5.
bool IsSupported(GpuIsa isa, const ComputeCapability& capability);
std::vector<GpuIsa> SupportedGpuIsas(const ComputeCapability& capability);

// Returns the capability of the current device, and UnavailableError if there is no GPU.
absl::StatusOr<ComputeCapability> CurrentComputeCapability();

// Returns the instructions that the current device has and for which this program has code (lib/cuda/kernel_code.h),
// the fastest last. Returns FailedPreconditionError if the device is older than 7.5, and UnavailableError if there is
// no device or no code for it.
absl::StatusOr<std::vector<GpuIsa>> CurrentGpuIsas();

// Returns the last one of CurrentGpuIsas().
absl::StatusOr<GpuIsa> BestGpuIsa();

// Returns FailedPreconditionError, which names the best choice, if the current device or the program lacks `isa`.
absl::Status CheckGpuIsa(GpuIsa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_GPU_ISA_H_
