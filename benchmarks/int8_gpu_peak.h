// Rates of wgmma on this GPU (wgmma_peak.h), measured now, in operations per second; a multiply-accumulate counts as
// two.
#ifndef LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_
#define LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_

#include <cuda_runtime.h>

#include "absl/status/statusor.h"

namespace lockstep {

// Returns the highest rate measured so far, including one measured now. Clocks change, and a low rate would make a
// share too high. 0 without wgmma. Aborted: the kernel's sums are wrong.
absl::StatusOr<double> HighestWgmmaRate(cudaStream_t stream);

// Returns the rate over one second of continuous work, during which clocks may fall. The GPU must have wgmma.
absl::StatusOr<double> SustainedWgmmaRate(cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_INT8_GPU_PEAK_H_
