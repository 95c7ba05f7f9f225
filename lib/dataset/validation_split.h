// Holds training images out of training, so that recipes can be compared on images that neither trained the networks nor
// are the test set.
#ifndef LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_
#define LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Moves `images` images from dataset.train to dataset.validation; 0: none, and OK. They are the last ones of one fixed
// permutation of the training split, so that they are the same for every seed, rank and recipe, and those of a smaller
// number are among those of a larger one. Both sets keep the file's order, and the statistics of the whole split, by
// which both are normalized.
//
// Must be called once, on a data set as it was read. Returns InvalidArgumentError, which names --validation_images, if
// fewer than `batch_images` training images would be left, or none.
absl::Status HoldOutValidation(uint32_t images, uint64_t batch_images, Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_VALIDATION_SPLIT_H_
