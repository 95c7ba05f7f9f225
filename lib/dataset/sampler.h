// Order of an epoch's images, and each rank's share of them.
//
// Works like torch.utils.data.DistributedSampler: one permutation per (seed, epoch), the same on all ranks, dealt out
// in turn (rank r takes entries r, r + ranks, ...). Without the epoch number every epoch would have the same order, and
// a rank would see the same images in every epoch.
#ifndef LOCKSTEP_LIB_DATASET_SAMPLER_H_
#define LOCKSTEP_LIB_DATASET_SAMPLER_H_

#include <cstdint>
#include <vector>

#include "lib/dataset/drop_last.h"

namespace lockstep {

// Returns a permutation of 0 .. image_count-1; it depends on the arguments only and is the same on every platform.
std::vector<uint32_t> EpochOrder(uint32_t image_count, uint64_t seed, uint32_t epoch);

// Share of one rank in an order.
struct Shard {
  std::vector<uint32_t> order;
  // Number of entries, the last ones of `order`, that repeat an image of another entry so that all shards are equally
  // long. The sum over the ranks is the number of images that the epoch counts twice.
  uint64_t padded = 0;
};

// Returns the number of images in each shard of ShardOrder.
uint64_t ShardSize(uint64_t images, uint32_t ranks, DropLast drop_last);

// Returns the shard of `rank`, which must be below `ranks`; `ranks` must be at least 1. Shards are disjoint except for
// the padding, and equally long. With kYes, the length is floor(n / ranks) and some images are left out; with kNo,
// the length is ceil(n / ranks) and the order wraps around.
Shard ShardOrder(const std::vector<uint32_t>& order, uint32_t ranks, uint32_t rank, DropLast drop_last);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_SAMPLER_H_
