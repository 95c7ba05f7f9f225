#include "lib/cuda/driver_function.h"

#include <cuda_runtime.h>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

constexpr unsigned kDriverVersion = 12000;

}  // namespace

absl::StatusOr<void*> FindDriverFunction(const char* name, absl::string_view doing) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  RETURN_IF_ERROR(
      CudaStatus(cudaGetDriverEntryPointByVersion(name, &function, kDriverVersion, cudaEnableDefault, &found), doing));
  return found == cudaDriverEntryPointSuccess ? function : nullptr;
}

}  // namespace lockstep
