// Substitute for cuda_runner.cc in a build without CUDA.
#include "absl/status/status.h"
#include "lib/int8_cuda/cuda_runner.h"

namespace lockstep {

bool IsGpuIsaName(absl::string_view name) { return name == "dp4a" || name == "mma" || name == "wgmma"; }

absl::StatusOr<CudaRunner> MakeCudaRunner(absl::string_view) {
  return absl::UnavailableError("int8 networks on a GPU need CUDA, which this build does not have; use the CPU");
}

}  // namespace lockstep
