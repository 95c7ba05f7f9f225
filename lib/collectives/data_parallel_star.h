// Bytes that DataParallel (one process, device 0 as the centre of a star) moves over device 0's link in a step. This is
// no all-reduce: 2(N-1)/N does not apply.
//
// Each step has phases that wait for each other: parameters and buffers to N-1 devices (replicate), their shares of the
// batch (scatter), their outputs back (gather), the outputs' gradients (scatter), the parameters' gradients back
// (reduce to device 0). Source: S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel
// Training", VLDB 13 (2020), section 2; torch/nn/parallel/{replicate,scatter_gather,_functions}.py. If the copies use
// NCCL's broadcast and reduce, other links carry most of the replicas and gradients; the result is then the bytes that
// a single link would have to move.
#ifndef LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_
#define LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_

#include <cstdint>

#include "lib/collectives/all_reduce_cost.h"

namespace lockstep {

// Bytes that a step of the whole batch moves.
struct DataParallelStep {
  uint32_t ranks = 1;          // must be >= 1
  double parameter_bytes = 0;  // bytes of one replica; its gradient has as many
  double buffer_bytes = 0;     // replicated, never reduced (batch norm's running statistics)
  double input_bytes = 0;      // bytes of the whole batch; device 0 keeps 1/N
  double output_bytes = 0;     // bytes of the whole batch
};

struct StarCost {
  double sent_bytes = 0;      // bytes that device 0 sends
  double received_bytes = 0;  // bytes that device 0 receives
  double busy_seconds = 0;    // time of device 0's link: every message alone, never both directions at once
};

// Returns 0 for one rank. Pure function, any thread. If N divides the batch, these are exactly the bytes that a run
// copies (lib/data_parallel/data_parallel_trainer_test.cc counts them). Otherwise they are an upper bound: torch.chunk
// gives device 0 more than 1/N, and may give other devices nothing.
StarCost DataParallelStarCost(const DataParallelStep& step, const LinkCost& link);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_
