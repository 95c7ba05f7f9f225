// A launch that begins early, for the test of what it sees of the launch before. Test-only.
#ifndef LOCKSTEP_LIB_KERNELS_OVERLAPPED_COUNT_H_
#define LOCKSTEP_LIB_KERNELS_OVERLAPPED_COUNT_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// A block of 256 threads adds 1 to what it finds in `from` and writes that to `to`, both (256), tens of microseconds
// later; meanwhile the next launch may begin. waits: not before the launch before is over.
cudaError_t CountOverlapped(const uint32_t* from, uint32_t* to, bool waits, cudaStream_t stream);

// Whether such launches begin early on the current device.
bool CountsOverlap();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_OVERLAPPED_COUNT_H_
