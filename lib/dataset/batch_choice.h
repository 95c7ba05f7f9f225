// Batch sizes that fit a data set of any size. The lab and the commands that a page suggests choose them here, so that
// scale_run accepts both.
#ifndef LOCKSTEP_LIB_DATASET_BATCH_CHOICE_H_
#define LOCKSTEP_LIB_DATASET_BATCH_CHOICE_H_

#include <cstdint>
#include <vector>

namespace lockstep {

// Returns the batches, in images per rank, that are not larger than a rank's share of the images without padding.
// Returns this share, at least 1, if all batches are larger. `ranks` must be at least 1.
std::vector<uint32_t> FittingBatches(const std::vector<uint32_t>& batches, uint64_t training_images, uint32_t ranks);

// Returns the number of training images that the experiment large_batch holds out, to choose a remedy by: a tenth. This
// is usual for CIFAR-10, whose 5,000 then give an accuracy of 90 % a standard error of 0.4 points.
uint64_t DefaultValidationImages(uint64_t training_images);

// Batches of the experiment large_batch, in images over all ranks.
struct LargeBatchSizes {
  uint32_t base = 128;
  uint32_t large = 8192;
};

// Returns the defaults if the data set has images for two large batches or more. Otherwise the large batch is all
// images that are not held out, and the base batch is an eighth of all images; both are multiples of `ranks`, which
// must be at least 1. With fewer than about two images per rank, `large` is not larger than `base`: the experiment
// cannot be run.
LargeBatchSizes ChooseLargeBatchSizes(uint64_t training_images, uint32_t ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_BATCH_CHOICE_H_
