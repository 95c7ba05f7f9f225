// Training state of an autograd run as named arrays (training_state.h). Parameters and buffers keep their own names,
// and so do the optimizer's arrays ("momentum/0", "momentum/1", ... in the order of the parameters).
#ifndef LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_
#define LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_

#include <torch/nn/module.h>

#include "absl/status/status.h"
#include "lib/train/optimizer.h"
#include "lib/train/training_state.h"

namespace lockstep {

// Returns the training state as arrays. Throws c10::Error, like LibTorch.
TrainingArrays ReadAutogradState(const torch::nn::Module& model, const Optimizer& optimizer);

// Writes the arrays into the model and its optimizer, which continues from them. Returns FailedPreconditionError if an
// array is missing or has another size; some arrays may have been written by then. Throws c10::Error.
absl::Status WriteAutogradState(const TrainingArrays& arrays, torch::nn::Module& model, Optimizer& optimizer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_
