// A network of the user's own: a TorchScript module that Python saved by torch.jit.save(torch.jit.script(net),
// "net.pt"). It maps images to one logit per class, and is trained by LibTorch's autograd.
#ifndef LOCKSTEP_LIB_NN_SCRIPT_MODEL_H_
#define LOCKSTEP_LIB_NN_SCRIPT_MODEL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/nn/model.h"

namespace lockstep {

// Loads the module onto the CPU, in training mode, with the weights of the file. Parameters and buffers keep their
// names, so that a checkpoint is a state_dict of the Python network. Runs the module forward and backward on two random
// images to check it.
//
// DataLoss: the file is not a TorchScript module. NotFound, Unavailable: the file cannot be read. FailedPrecondition:
// the module cannot be trained by ranks that exchange gradients:
// - it does not map float (N, 3, 32, 32) to float (N, classes);
// - a parameter is not fp32, is frozen, or gets no gradient;
// - it has a tensor that is neither parameter nor buffer, whose changes the ranks would not share.
absl::StatusOr<std::shared_ptr<Model>> LoadScriptModel(const std::string& path, const ModelShape& shape);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_SCRIPT_MODEL_H_
