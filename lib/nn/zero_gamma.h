// Residual blocks that begin as the identity: the last batch norm's weight (gamma) of each starts at 0, as in Goyal et al.
// 2017, section 5.1 (arXiv 1706.02677), and torchvision's zero_init_residual.
#ifndef LOCKSTEP_LIB_NN_ZERO_GAMMA_H_
#define LOCKSTEP_LIB_NN_ZERO_GAMMA_H_

#include <string>

#include "absl/status/status.h"
#include "lib/nn/model.h"

namespace lockstep {

// InvalidArgument: networks of this name (MakeModel) have no residual blocks.
absl::Status CheckZeroGamma(const std::string& model_name);

// Sets these weights of a fresh model to 0 when they are `wanted` to be. InvalidArgument: there are none.
absl::Status SetZeroGamma(bool wanted, Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_ZERO_GAMMA_H_
