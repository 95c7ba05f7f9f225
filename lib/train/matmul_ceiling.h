// Rate of one large matrix product, as the ceiling to compare a training step's rate with.
#ifndef LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_
#define LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_

#include <c10/core/Device.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the size of the square matrices. On CUDA it is 8192: a bf16 product takes over a millisecond on an H200, so
// launches cost nothing. On a CPU each thread gets as much work as a single thread has for size 1024, with the size
// rounded up to a multiple of 256: 1024, 1536 (two threads), 2048 (eight).
uint32_t MatmulSize(c10::Device device, uint32_t threads);

// Times LibTorch's products of random matrices, one after another. The matrices are random because a GPU draws less
// power for zeros and clocks higher. Restores LibTorch's settings. Returns ResourceExhaustedError if three matrices do
// not fit into memory, CancelledError at a stop signal.
absl::StatusOr<proto::MatmulCeiling> MeasureMatmulCeiling(c10::Device device, proto::Precision precision);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_
