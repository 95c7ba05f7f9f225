// A kernel that gets in the way of others, for the test of waits' limit. Test-only.
#ifndef LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_H_
#define LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// Takes all shared memory of `multiprocessors`, so that no block that wants much of it finds a place there, until
// `*release`, in host memory that the device reads, is not 0, or half a minute has passed.
cudaError_t HoldMultiprocessors(uint32_t multiprocessors, const volatile uint32_t* release, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_H_
