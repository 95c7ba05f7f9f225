#include "lib/dataset/sampler.h"

#include <numeric>
#include <utility>

#include "lib/dataset/counter_random.h"

namespace lockstep {

// The Fisher-Yates shuffle in Durstenfeld's form: every permutation is equally likely.
std::vector<uint32_t> EpochOrder(uint32_t image_count, uint64_t seed, uint32_t epoch) {
  std::vector<uint32_t> order(image_count);
  std::iota(order.begin(), order.end(), 0u);
  CounterRandom random(seed, RandomPurpose::kEpochOrder, epoch, 0);
  for (uint32_t left = image_count; left > 1; --left) {
    std::swap(order[left - 1], order[random.Below(left)]);
  }
  return order;
}

uint64_t ShardSize(uint64_t images, uint32_t ranks, DropLast drop_last) {
  return drop_last == DropLast::kYes ? images / ranks : (images + ranks - 1) / ranks;
}

Shard ShardOrder(const std::vector<uint32_t>& order, uint32_t ranks, uint32_t rank, DropLast drop_last) {
  const uint64_t n = order.size();
  const uint64_t length = ShardSize(n, ranks, drop_last);
  Shard shard;
  shard.order.reserve(length);
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t position = i * ranks + rank;
    shard.order.push_back(order[position % n]);
    shard.padded += position >= n ? 1 : 0;
  }
  return shard;
}

}  // namespace lockstep
