// A launch that lets the next launch begin early, for the test of what that launch sees of the earlier one. Test-only.
#ifndef LOCKSTEP_LIB_CUDA_OVERLAPPED_COUNT_TESTING_H_
#define LOCKSTEP_LIB_CUDA_OVERLAPPED_COUNT_TESTING_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep::testing {

// Launches a block of 256 threads that adds 1 to the values of `from` and writes them to `to`, both (256), tens of
// microseconds later; the next launch may begin in the meantime. waits: the block waits until the previous launch has
// ended.
cudaError_t CountOverlapped(const uint32_t* from, uint32_t* to, bool waits, cudaStream_t stream);

// Returns whether such launches begin early on the current device.
bool CountsOverlap();

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CUDA_OVERLAPPED_COUNT_TESTING_H_
