// Facts about the optimizers that --optimizer names, for code that has no LibTorch. lib/train/make_optimizer.h makes
// the optimizers. In all functions, unset means SGD, as in older records.
#ifndef LOCKSTEP_LIB_NETWORKS_OPTIMIZERS_H_
#define LOCKSTEP_LIB_NETWORKS_OPTIMIZERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the word of --optimizer: "adam".
std::string OptimizerWord(proto::OptimizerKind optimizer);

// Returns the name in a text: "SGD", "SGD with Nesterov momentum", "AdamW".
std::string OptimizerTitle(proto::OptimizerKind optimizer);

// Returns true if the optimizer has a momentum that --momentum sets: SGD with and without Nesterov momentum.
bool HasMomentum(proto::OptimizerKind optimizer);

// Returns the default learning rate. SGD: that of the model, a value of --model. All others: that of torch.optim.
double DefaultLearningRate(proto::OptimizerKind optimizer, absl::string_view model);

// Returns InvalidArgumentError naming the flag if the optimizer cannot have the spec's momentum or LARS.
absl::Status CheckOptimizer(const proto::TrainingSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_OPTIMIZERS_H_
