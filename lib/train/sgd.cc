#include "lib/train/sgd.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/train/clip_gradients.h"
#include "lib/train/lars.h"

namespace lockstep {

Sgd::Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate), options_(options) {
  if (options_.momentum != 0) {
    for (const at::Tensor& parameter : this->parameters()) {
      momentum_.push_back(at::zeros_like(parameter.detach()));
    }
  }
}

std::vector<std::pair<std::string, at::Tensor>> Sgd::State() const {
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (size_t i = 0; i < momentum_.size(); ++i) {
    state.emplace_back(absl::StrCat("momentum/", i), momentum_[i]);
  }
  return state;
}

absl::Status Sgd::Step() {
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> gradients, Gradients());
  const at::NoGradGuard no_grad;
  if (options_.clip_norm != 0) {
    ClipGradients(gradients, options_.clip_norm);
  }
  if (options_.lars != 0) {
    StepWithLocalRates(gradients);
  } else {
    Update(parameters(), gradients, momentum_, options_.weight_decay);
  }
  first_step_ = false;
  return absl::OkStatus();
}

// Updates first the parameters with local rates, whose gradients then include the weight decay, and then all others,
// which have no weight decay (lars.h).
void Sgd::StepWithLocalRates(const std::vector<at::Tensor>& gradients) {
  for (const bool local : {true, false}) {
    std::vector<at::Tensor> parameters, their_gradients, momentum;
    for (size_t i = 0; i < this->parameters().size(); ++i) {
      if (HasLocalRate(this->parameters()[i]) != local) {
        continue;
      }
      parameters.push_back(this->parameters()[i]);
      their_gradients.push_back(gradients[i]);
      if (!momentum_.empty()) {
        momentum.push_back(momentum_[i]);
      }
    }
    if (local) {
      ScaleByLocalRates(parameters, their_gradients, options_.lars, options_.weight_decay);
    }
    Update(parameters, their_gradients, momentum, /*weight_decay=*/0);
  }
}

void Sgd::Update(at::TensorList parameters, at::TensorList gradients, at::TensorList momentum, double weight_decay) {
  if (parameters.empty()) {
    return;
  }
  constexpr double kDampening = 0;
  constexpr bool kMaximize = false;
  WithRate([&](auto rate) {
    at::_fused_sgd_(parameters, gradients, momentum, weight_decay, options_.momentum, rate, kDampening,
                    options_.nesterov, kMaximize, first_step_);
  });
}

}  // namespace lockstep
