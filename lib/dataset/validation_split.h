// Validation split: training images held out of training, so that recipes can be compared on images that are neither
// training images nor the test set.
#ifndef LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_
#define LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Moves `images` images from dataset.train to dataset.validation; does nothing for 0. The images are the last ones of
// one fixed permutation of the training split, so they are the same for every seed, rank and recipe, and a smaller
// number gives a subset of a larger number. Both sets keep the file's order, and the statistics of the whole split,
// with which both are normalized.
//
// Must be called once, on a data set as it was read. Returns InvalidArgumentError, which names --validation_images, if
// fewer than `batch_images` training images would be left, or none.
absl::Status HoldOutValidation(uint32_t images, uint64_t batch_images, Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_
