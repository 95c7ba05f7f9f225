// Networks that have batch norm, and with it residual blocks, for code that reads records without LibTorch.
#ifndef LOCKSTEP_LIB_SCALING_BATCH_NORM_H_
#define LOCKSTEP_LIB_SCALING_BATCH_NORM_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true if the network has batch norm. `model` must be a name of --model. LeNet-5 has none, with biases or
// without.
inline bool HasBatchNorm(absl::string_view model) { return model == "resnet18"; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_BATCH_NORM_H_
