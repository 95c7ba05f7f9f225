// The largest rate that Hopper's int8 matrix instruction reaches: what a layer's rate is a share of.
#ifndef LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_
#define LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kWgmmaPeakThreads = 256;  // of a block: two groups of four warps

// Two for each multiply-accumulate of one block in one round: four instructions of each group, 64 x 256 x 32.
inline constexpr double kWgmmaPeakOperations = 2.0 * 2 * 4 * 64 * 256 * 32;

// Each of `blocks` blocks multiplies random int8 from its shared memory, `rounds` times the same, and loads nothing in
// between. sums: int32 (blocks, kWgmmaPeakThreads), written: what each thread added up, modulo 2^32, which is `rounds`
// times what it is after one round. One block fits on a multiprocessor of compute capability 9.0; no other runs it.
cudaError_t LaunchWgmmaPeak(uint32_t rounds, uint32_t blocks, int32_t* sums, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_WGMMA_PEAK_H_
