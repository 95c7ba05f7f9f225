// The CUDA runtime's errors as absl::Status.
#ifndef LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_
#define LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_

#include <cuda_runtime.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Ok for cudaSuccess; else one line that begins with `doing` ("allocate 1024 bytes") and gives CUDA's name and words:
// ResourceExhausted when device memory ran out, Unavailable without a device or driver, Internal otherwise. The runtime's own memory of the error
// (cudaGetLastError) is cleared, so that no later call reports it again.
absl::Status CudaStatus(cudaError_t error, absl::string_view doing);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CUDA_STATUS_H_
