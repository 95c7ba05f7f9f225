// Which images a trainer sees in an epoch, as its spec has it. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_
#define LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_

#include <cstdint>

#include "lib/dataset/sampler.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// The shard of rank `rank` of `ranks` over `images` images, in the order of (seed, epoch); with fixed_order in that of the
// first epoch. One rank has all images.
Shard EpochShard(const proto::TrainingSpec& spec, uint32_t images, uint32_t ranks, uint32_t rank, uint32_t epoch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_
