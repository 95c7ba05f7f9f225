// Residual blocks that start as the identity: the weight (gamma) of each block's last batch norm starts at 0, as in
// Goyal et al. 2017, section 5.1 (arXiv 1706.02677), and torchvision's zero_init_residual.
#ifndef LOCKSTEP_LIB_NN_ZERO_GAMMA_H_
#define LOCKSTEP_LIB_NN_ZERO_GAMMA_H_

#include <string>

#include "absl/status/status.h"
#include "lib/nn/model.h"

namespace lockstep {

// Returns InvalidArgumentError if `model`, a value of --model, has no residual blocks with batch norm.
absl::Status CheckZeroGamma(const std::string& model);

// Sets these weights of a newly made model to 0. Returns InvalidArgumentError if the model has none.
absl::Status SetZeroGamma(Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_ZERO_GAMMA_H_
