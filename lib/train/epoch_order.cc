#include "lib/train/epoch_order.h"

namespace lockstep {

Shard EpochShard(const proto::TrainingSpec& spec, uint32_t images, uint32_t ranks, uint32_t rank, uint32_t epoch) {
  return ShardOrder(EpochOrder(images, spec.seed(), spec.no_set_epoch() ? 0 : epoch), ranks, rank,
                    ToDropLast(spec.drop_last()));
}

}  // namespace lockstep
