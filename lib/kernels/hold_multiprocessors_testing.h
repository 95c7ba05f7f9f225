// Kernel that blocks multiprocessors, for the test of the wait limit. Test-only.
#ifndef LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_TESTING_H_
#define LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_TESTING_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep::testing {

// Occupies all shared memory of `multiprocessors` multiprocessors, so that no block that needs much of it fits there,
// until `*release`, in host memory that the device can read, is not 0, or half a minute has passed.
cudaError_t HoldMultiprocessors(uint32_t multiprocessors, const volatile uint32_t* release, cudaStream_t stream);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_KERNELS_HOLD_MULTIPROCESSORS_TESTING_H_
