// The rate of one large matrix product, beside which the rate of a training step is set.
#ifndef LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_
#define LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_

#include <c10/core/Device.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// 8192 on CUDA, where a product of bf16 takes over a millisecond on an H200 and launches cost nothing; on a CPU as much
// work for each thread as a product of 1024 is for one, rounded up to a multiple of 256: 1024, 1536 (two threads), 2048
// (eight).
uint32_t MatmulSize(c10::Device device, uint32_t threads);

// Times products of random matrices (of zeros a GPU draws less power and clocks higher) by LibTorch, one after another.
// Leaves LibTorch's settings as they were. ResourceExhausted: no room for three matrices. Cancelled: a stop signal.
absl::StatusOr<proto::MatmulCeiling> MeasureMatmulCeiling(c10::Device device, proto::Precision precision);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_MATMUL_CEILING_H_
