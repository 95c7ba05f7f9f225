// Augmentation of a training run: its rule, its text and its checks.
#ifndef LOCKSTEP_LIB_DATASET_AUGMENTATION_SPEC_H_
#define LOCKSTEP_LIB_DATASET_AUGMENTATION_SPEC_H_

#include <string>

#include "absl/status/status.h"
#include "lib/dataset/augment.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the rule for the spec's border, flip and cutout. Whether images are augmented at all is not part of it.
AugmentationRule AugmentationRuleOf(const proto::TrainingSpec& spec);

// Returns the augmentation for the text of a recipe: ", random crop and flip", ", random crop from a reflected border,
// alternating flip, cutout of 12 pixels", or ", no augmentation".
std::string AugmentationInRecipe(const proto::TrainingSpec& spec);

// Returns InvalidArgumentError naming the flag if the spec changes an augmentation that it does not have.
absl::Status CheckAugmentation(const proto::TrainingSpec& spec);

// Returns InvalidArgumentError naming the flag if the augmentation has no meaning for images of this extent.
absl::Status CheckAugmentationFits(const proto::TrainingSpec& spec, ImageExtent extent);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_AUGMENTATION_SPEC_H_
