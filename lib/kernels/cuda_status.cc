#include "lib/kernels/cuda_status.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status CudaStatus(cudaError_t error, absl::string_view doing) {
  if (error == cudaSuccess) {
    return absl::OkStatus();
  }
  (void)cudaGetLastError();
  const std::string text =
      absl::StrCat(doing, ": CUDA: ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")");
  return error == cudaErrorMemoryAllocation ? absl::ResourceExhaustedError(text) : absl::InternalError(text);
}

}  // namespace lockstep
