// Which images an epoch shows, in which order, and which of them a rank gets.
//
// As torch.utils.data.DistributedSampler: one permutation per (seed, epoch) that all ranks draw alike, dealt out in turn
// (rank r takes entries r, r + ranks, ...). Without the epoch number every epoch has the same order, and a rank never
// sees any images but its own.
#ifndef LOCKSTEP_LIB_DATASET_SAMPLER_H_
#define LOCKSTEP_LIB_DATASET_SAMPLER_H_

#include <cstdint>
#include <vector>

namespace lockstep {

// A permutation of 0 .. image_count-1, a function of its arguments only; the same on every platform.
std::vector<uint32_t> EpochOrder(uint32_t image_count, uint64_t seed, uint32_t epoch);

// One rank's share of an order.
struct Shard {
  std::vector<uint32_t> order;
  // Entries of this shard that repeat an image which another entry holds already, so that all shards are equally long:
  // the last `padded` entries of `order`. The sum over the ranks is what the epoch counts twice.
  uint64_t padded = 0;
};

// Images of each shard: as ShardOrder deals them.
uint64_t ShardSize(uint64_t images, uint32_t ranks, bool drop_last);

// The shard of `rank` (below `ranks`, which is at least 1). Shards are disjoint but for the padding, and equally long:
// with drop_last floor(n / ranks) and some images are left out; without, ceil(n / ranks) and the order wraps round.
Shard ShardOrder(const std::vector<uint32_t>& order, uint32_t ranks, uint32_t rank, bool drop_last);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_SAMPLER_H_
