// What training by LibTorch's autograd depends on, as arrays (training_state.h): parameters and buffers by their own
// names, and "momentum/0", ... in the parameters' order.
#ifndef LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_
#define LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_

#include <torch/nn/module.h>

#include "absl/status/status.h"
#include "lib/train/sgd.h"
#include "lib/train/training_state.h"

namespace lockstep {

// Throw c10::Error as LibTorch does.
TrainingArrays ReadAutogradState(const torch::nn::Module& model, const Sgd& optimizer);

// Writes the arrays into the model and its optimizer, which goes on from there. FailedPrecondition: an array is missing
// or of another size; then some are written.
absl::Status WriteAutogradState(const TrainingArrays& arrays, torch::nn::Module& model, Sgd& optimizer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_AUTOGRAD_STATE_H_
