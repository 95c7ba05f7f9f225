// The rates of wgmma on this GPU, now (wgmma_peak.h), in operations a second, two for a multiply-accumulate.
#ifndef LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_
#define LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_

#include <cuda_runtime.h>

#include "absl/status/statusor.h"

namespace lockstep {

// The highest of all that were measured so far, one more of them now: clocks change, and a share must not be flattered.
// 0 without wgmma. Aborted: the kernel did not add up what it should.
absl::StatusOr<double> HighestWgmmaRate(cudaStream_t stream);

// Over a second on end, in which clocks may fall. The GPU must have wgmma.
absl::StatusOr<double> SustainedWgmmaRate(cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_
