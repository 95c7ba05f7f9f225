// What DataParallel (one process, device 0 as the centre of a star) moves over device 0's link in a step. It is no
// all-reduce: 2(N-1)/N does not apply.
//
// Each step, in phases that wait for one another: parameters and buffers to N-1 devices (replicate), their shares of
// the batch (scatter), their outputs back (gather), the outputs' gradients (scatter), the parameters' gradients back
// (reduce to device 0). Source: S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel
// Training", VLDB 13 (2020), section 2; torch/nn/parallel/{replicate,scatter_gather,_functions}.py. Where the copies go
// through NCCL's broadcast and reduce, other links carry most of the replicas and gradients: then this is what one link
// would have to do.
#ifndef LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_
#define LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_

#include <cstdint>

#include "lib/collectives/all_reduce_cost.h"

namespace lockstep {

// What a step of the whole batch moves.
struct DataParallelStep {
  uint32_t ranks = 1;          // >= 1
  double parameter_bytes = 0;  // of one replica; its gradient has as many
  double buffer_bytes = 0;     // replicated, never reduced (batch norm's running statistics)
  double input_bytes = 0;      // of the whole batch; device 0 keeps 1/N
  double output_bytes = 0;     // of the whole batch
};

struct StarCost {
  double sent_bytes = 0;      // by device 0
  double received_bytes = 0;  // by device 0
  double busy_seconds = 0;    // of its link: every message alone, both directions never at once
};

// 0 for one rank. Pure function, any thread. Where N divides the batch, these are the bytes that a run copies
// (lib/dist/data_parallel_trainer_test.cc counts them). Elsewhere they are an upper bound: torch.chunk leaves device 0 more
// than 1/N, and may leave others nothing.
StarCost DataParallelStarCost(const DataParallelStep& step, const LinkCost& link);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_DATA_PARALLEL_STAR_H_
