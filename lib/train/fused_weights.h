// Conversion of the values of a ResNet-18 or ResNet-34 between LibTorch's modules and the flat arrays of the fused step
// (lib/fused).
#ifndef LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_
#define LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/resnet_step.h"
#include "lib/nn/model.h"

namespace lockstep {

// Returns the parameters and running statistics of a model on any device. Returns InternalError if the model was not
// made by MakeModel("resnet18") or MakeModel("resnet34").
absl::StatusOr<ResNetValues> ToFusedValues(const Model& model);

// Returns the running statistics only. Returns the same error.
absl::StatusOr<std::vector<float>> ToFusedRunning(const Model& model);

// Returns the gradients that a backward pass left in the model; `running` stays empty.
absl::StatusOr<ResNetValues> ToFusedGradients(const Model& model);

// Writes the values into the model, on its device and in its dtype. num_batches_tracked stays unchanged: only
// cumulative averages read it, and this network does not use them. Returns InvalidArgumentError if an array has another
// length.
absl::Status FromFusedValues(const ResNetValues& values, Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_
