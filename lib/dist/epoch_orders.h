// What a rank's sampler showed it: proof that shards differ and that epochs do. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_DIST_EPOCH_ORDERS_H_
#define LOCKSTEP_LIB_DIST_EPOCH_ORDERS_H_

#include <cstdint>
#include <vector>

#include "lib/proto/scale.pb.h"

namespace lockstep {

class EpochOrders {
 public:
  // The orders of rank `rank` of `ranks` over `images` images, as they are trained on: functions of (seed, epoch, rank).
  // `training` outlives this.
  EpochOrders(uint32_t images, const proto::TrainingSpec& training, uint32_t ranks, uint32_t rank)
      : images_(images), training_(training), ranks_(ranks), rank_(rank) {}

  // Sets order_sha256 and distinct_images of the first timed epoch; over the `epochs` that were trained, of batches of
  // `batch` images, epoch_order_sha256, distinct_images_ever and repeated_batch_share. A batch is one before it when it
  // holds the same images in the same place of its epoch.
  void Describe(uint32_t epochs, uint32_t batch, proto::RankFacts& facts) const;

  // Images that this rank sees twice in an epoch, so that all ranks have as many.
  uint64_t padded() const;

 private:
  std::vector<uint32_t> OrderOf(uint32_t epoch) const;

  const uint32_t images_;
  const proto::TrainingSpec& training_;
  const uint32_t ranks_;
  const uint32_t rank_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_EPOCH_ORDERS_H_
