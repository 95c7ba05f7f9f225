// Images that one rank trains on in an epoch, by the training spec. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_
#define LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_

#include <cstdint>

#include "lib/dataset/sampler.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the shard of `rank` out of `ranks` over `images` images, in the order given by (seed, epoch). With
// no_set_epoch, every epoch has the order of the first. A single rank gets all images.
Shard EpochShard(const proto::TrainingSpec& spec, uint32_t images, uint32_t ranks, uint32_t rank, uint32_t epoch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_ORDER_H_
