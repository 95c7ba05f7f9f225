#include "lib/train/epoch_trainer.h"

#include "lib/dataset/sampler.h"

namespace lockstep {

std::vector<uint32_t> OrderOf(const TrainerInput& input, uint32_t epoch) {
  const std::vector<uint32_t> all =
      EpochOrder(static_cast<uint32_t>(input.images->size()), input.spec.seed(), OrderEpoch(input.spec, epoch));
  return input.group == nullptr
             ? all
             : ShardOrder(all, input.group->size(), input.group->rank(), input.loader.drop_last).order;
}

}  // namespace lockstep
