// Conversion of CUDA runtime errors to absl::Status, and a copy that completes before it returns.
#ifndef LOCKSTEP_LIB_CUDA_CUDA_STATUS_H_
#define LOCKSTEP_LIB_CUDA_CUDA_STATUS_H_

#include <cuda_runtime.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns OK for cudaSuccess, otherwise a one-line error that starts with `doing` ("allocate 1024 bytes") and gives
// CUDA's name and description: ResourceExhausted if device memory ran out, Unavailable if there is no device or driver,
// Internal otherwise. Clears the runtime's last error (cudaGetLastError), so that no later call reports it again.
absl::Status CudaStatus(cudaError_t error, absl::string_view doing);

// Copies from host memory and returns when the bytes are on the device. cudaMemcpy alone may return earlier, and a
// stream created with cudaStreamNonBlocking does not wait for it.
cudaError_t CopyToDevice(void* to, const void* from, size_t bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_CUDA_STATUS_H_
