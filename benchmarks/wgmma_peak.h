// Peak rate of Hopper's int8 matrix instruction; a layer's rate is given as a share of it.
#ifndef LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_
#define LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kWgmmaPeakThreads = 256;  // threads per block: two groups of four warps

// Operations of one block in one round, two per multiply-accumulate: four instructions of each group, 64 x 256 x 32.
inline constexpr double kWgmmaPeakOperations = 2.0 * 2 * 4 * 64 * 256 * 32;

// Launches `blocks` blocks. Each multiplies random int8 from its shared memory, `rounds` times the same, and loads
// nothing in between. sums: int32 (blocks, kWgmmaPeakThreads), written: each thread's sums, modulo 2^32, which are
// `rounds` times those after one round. One block fits on a multiprocessor; needs compute capability 9.0.
cudaError_t LaunchWgmmaPeak(uint32_t rounds, uint32_t blocks, int32_t* sums, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_
