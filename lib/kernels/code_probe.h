// Kernels that do nothing: what the driver finds of them, it finds of all kernels that were compiled for the same
// architectures. kernel_code.h asks.
#ifndef LOCKSTEP_LIB_KERNELS_CODE_PROBE_H_
#define LOCKSTEP_LIB_KERNELS_CODE_PROBE_H_

#include <cuda_runtime.h>

namespace lockstep {

// The attributes of a kernel that needs nothing of the architecture, as this device would run it. An error: it would not.
cudaError_t FindAnyCode(cudaFuncAttributes* attributes);

// The same of a kernel that needs Hopper's own instructions (needs = "90a" in BUILD).
cudaError_t FindHopperCode(cudaFuncAttributes* attributes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CODE_PROBE_H_
