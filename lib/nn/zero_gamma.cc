#include "lib/nn/zero_gamma.h"

#include <ATen/core/grad_mode.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/networks/networks.h"

namespace lockstep {
namespace {

// End of the parameter's name in a block of two convolutions (networks/resnet.cc).
constexpr char kLastGamma[] = ".bn2.weight";

}  // namespace

absl::Status CheckZeroGamma(const std::string& model) {
  ASSIGN_OR_RETURN(const NetworkChoice choice, ParseModel(model));
  return choice.network->ends_blocks_with_batch_norm
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("--zero_gamma is for residual blocks with batch norm; ", model,
                                                       " has none: leave it out, or --model=resnet18"));
}

absl::Status SetZeroGamma(Model& model) {
  const at::NoGradGuard no_grad;
  bool found = false;
  for (auto& parameter : model.named_parameters()) {
    if (absl::EndsWith(parameter.key(), kLastGamma)) {
      parameter.value().zero_();
      found = true;
    }
  }
  return found ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat("expected a network of residual blocks with weights called *",
                                                         kLastGamma, ", found none"));
}

}  // namespace lockstep
