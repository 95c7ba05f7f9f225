// Table of where the time of a tile goes in the backward convolutions of layer 1 (convolution_laps.h).
#ifndef LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_TABLE_H_
#define LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_TABLE_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// Prints, for each configuration of the data gradients 64 -> 64 and 128 -> 64 of 32x32 images, with at most
// `multiprocessors` blocks, the nanoseconds of each lap of a tile. `stream` must not be the default stream. Returns
// CUDA's errors.
absl::Status PrintConvolutionLaps(uint32_t images, uint32_t multiprocessors, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_CONVOLUTION_LAPS_TABLE_H_
