#include "lib/cuda/cuda_status.h"

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
  switch (error) {
    case cudaErrorMemoryAllocation:
      return absl::ResourceExhaustedError(text);
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return absl::UnavailableError(text);
    default:
      return absl::InternalError(text);
  }
}

cudaError_t CopyToDevice(void* to, const void* from, size_t bytes) {
  const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
  return error != cudaSuccess ? error : cudaStreamSynchronize(cudaStreamLegacy);
}

}  // namespace lockstep
