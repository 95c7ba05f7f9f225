#include "lib/train/epoch_trainer.h"

#include <utility>

#include "lib/dataset/sampler.h"
#include "lib/train/epoch_order.h"

namespace lockstep {
namespace {

std::pair<uint32_t, uint32_t> RanksAndRank(const TrainerInput& input) {
  return input.group == nullptr ? std::pair(1u, 0u) : std::pair(input.group->size(), input.group->rank());
}

}  // namespace

uint32_t ImagesOf(const TrainerInput& input) {
  return static_cast<uint32_t>(
      ShardSize(input.images->size(), RanksAndRank(input).first, ToDropLast(input.spec.drop_last())));
}

std::vector<uint32_t> OrderOf(const TrainerInput& input, uint32_t epoch) {
  const auto [ranks, rank] = RanksAndRank(input);
  return EpochShard(input.spec, static_cast<uint32_t>(input.images->size()), ranks, rank, epoch).order;
}

}  // namespace lockstep
