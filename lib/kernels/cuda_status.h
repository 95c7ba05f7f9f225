// The CUDA runtime's errors as absl::Status, and a copy that has arrived.
#ifndef LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_
#define LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Ok for cudaSuccess; else one line that begins with `doing` ("allocate 1024 bytes") and gives CUDA's name and words:
// ResourceExhausted when device memory ran out, Unavailable without a device or driver, Internal otherwise. The runtime's own memory of the error
// (cudaGetLastError) is cleared, so that no later call reports it again.
absl::Status CudaStatus(cudaError_t error, absl::string_view doing);

// Copies from host memory, and returns when the bytes are on the device. cudaMemcpy alone may return before that, and a
// stream made with cudaStreamNonBlocking does not wait for it.
cudaError_t CopyToDevice(void* to, const void* from, size_t bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_
