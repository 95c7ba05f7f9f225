// Kernels that do nothing. The driver's answers for them hold for every kernel that was compiled for the same
// architectures; kernel_code.h uses them.
#ifndef LOCKSTEP_LIB_CUDA_CODE_PROBE_H_
#define LOCKSTEP_LIB_CUDA_CODE_PROBE_H_

#include <cuda_runtime.h>

namespace lockstep {

// Writes the attributes of a kernel without architecture-specific instructions, in the version that this device would
// run. Returns an error if the device cannot run it.
cudaError_t FindAnyCode(cudaFuncAttributes* attributes);

// Does the same for a kernel with Hopper's own instructions (needs = "90a" in BUILD).
cudaError_t FindHopperCode(cudaFuncAttributes* attributes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_CODE_PROBE_H_
