// Image orders that a rank's sampler produced: evidence that the shards differ and that the epochs differ. Does not
// depend on LibTorch.
#ifndef LOCKSTEP_LIB_SCALE_RUN_EPOCH_ORDERS_H_
#define LOCKSTEP_LIB_SCALE_RUN_EPOCH_ORDERS_H_

#include <cstdint>
#include <vector>

#include "lib/proto/scale.pb.h"

namespace lockstep {

class EpochOrders {
 public:
  // Describes the orders of rank `rank` of `ranks` over `images` images, as used in training: functions of (seed,
  // epoch, rank). `training` must outlive the object.
  EpochOrders(uint32_t images, const proto::TrainingSpec& training, uint32_t ranks, uint32_t rank)
      : images_(images), training_(training), ranks_(ranks), rank_(rank) {}

  // Sets order_sha256 and distinct_images of the first timed epoch. Over the `epochs` trained epochs, with batches of
  // `batch` images, sets epoch_order_sha256, distinct_images_ever and repeated_batch_share. A batch counts as repeated
  // if it holds the same images as the batch at the same position of the previous epoch.
  void Describe(uint32_t epochs, uint32_t batch, proto::RankFacts& facts) const;

  // Returns the number of images that this rank sees twice in an epoch, so that all ranks have the same number.
  uint64_t padded() const;

 private:
  std::vector<uint32_t> OrderOf(uint32_t epoch) const;

  const uint32_t images_;
  const proto::TrainingSpec& training_;
  const uint32_t ranks_;
  const uint32_t rank_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_EPOCH_ORDERS_H_
