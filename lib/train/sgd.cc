#include "lib/train/sgd.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/train/clip_gradients.h"
#include "lib/train/lars.h"

namespace lockstep {

Sgd::Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  if (options_.momentum != 0) {
    for (const at::Tensor& parameter : parameters_) {
      momentum_.push_back(at::zeros_like(parameter.detach()));
    }
  }
}

absl::Status Sgd::Step() {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const at::Tensor& parameter : parameters_) {
    gradients.push_back(parameter.grad());
    if (!gradients.back().defined()) {
      return absl::FailedPreconditionError(
          absl::StrCat("parameter ", gradients.size() - 1, " of ", parameters_.size(), " has no gradient"));
    }
  }
  const at::NoGradGuard no_grad;
  if (options_.clip_norm != 0) {
    ClipGradients(gradients, options_.clip_norm);
  }
  if (options_.lars != 0) {
    StepWithLocalRates(gradients);
  } else {
    Update(parameters_, gradients, momentum_, options_.weight_decay);
  }
  first_step_ = false;
  return absl::OkStatus();
}

// Updates first the parameters with local rates, whose gradients then include the weight decay, and then all others,
// which have no weight decay (lars.h).
void Sgd::StepWithLocalRates(const std::vector<at::Tensor>& gradients) {
  for (const bool local : {true, false}) {
    std::vector<at::Tensor> parameters, their_gradients, momentum;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (HasLocalRate(parameters_[i]) != local) {
        continue;
      }
      parameters.push_back(parameters_[i]);
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
  constexpr bool kNesterov = false, kMaximize = false;
  if (rate_.defined()) {
    at::_fused_sgd_(parameters, gradients, momentum, weight_decay, options_.momentum, rate_, kDampening, kNesterov,
                    kMaximize, first_step_);
  } else {
    at::_fused_sgd_(parameters, gradients, momentum, weight_decay, options_.momentum, options_.learning_rate,
                    kDampening, kNesterov, kMaximize, first_step_);
  }
}

void Sgd::set_learning_rate(double learning_rate) {
  if (rate_.defined() && learning_rate != options_.learning_rate) {
    rate_.fill_(learning_rate);
  }
  options_.learning_rate = learning_rate;
}

void Sgd::ReadRateOnDevice(c10::Device device) {
  if (!rate_.defined()) {
    rate_ = at::full({}, options_.learning_rate, at::TensorOptions(device).dtype(at::kFloat));
  }
}

}  // namespace lockstep
