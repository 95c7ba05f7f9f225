// A ResNet-18's numbers between LibTorch's modules and the flat arrays of the hand-written step (lib/fused).
#ifndef LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_
#define LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/resnet18_step.h"
#include "lib/nn/model.h"

namespace lockstep {

// Parameters and running statistics, from any device. Internal: the model is not MakeModel("resnet18")'s.
absl::StatusOr<ResNet18Values> ToFusedValues(const Model& model);

// The gradients that a backward pass left; `running` stays empty.
absl::StatusOr<ResNet18Values> ToFusedGradients(const Model& model);

// Back into the model, on its device, in its dtype. num_batches_tracked is left as it is: nothing reads it but cumulative
// averages, which this network does not use. InvalidArgument: arrays of other lengths.
absl::Status FromFusedValues(const ResNet18Values& values, Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_FUSED_WEIGHTS_H_
