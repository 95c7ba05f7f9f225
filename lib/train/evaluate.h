// Accuracy on a whole set of images.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATE_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATE_H_

#include <c10/core/Device.h>

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/cifar/dataset.h"
#include "lib/nn/model.h"

namespace lockstep {

// The fraction of `images` whose largest logit is the label's, every image counted once, in eval mode (batch norm with its
// running statistics) and without augmentation. `mean` and `std` per channel are those that the model was trained with
// (NormalizeAsTrained). The model, which lives on `device`, is back in its mode afterwards. InvalidArgument: no images, or
// what the loader refuses. Cancelled at a stop signal. ResourceExhausted: out of memory.
absl::StatusOr<double> Evaluate(Model& model, const ImageSet& images, const std::array<float, 3>& mean,
                                const std::array<float, 3>& std, uint32_t batch_size, c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATE_H_
