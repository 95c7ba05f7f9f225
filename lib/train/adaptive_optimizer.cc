#include "lib/train/adaptive_optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/train/clip_gradients.h"

namespace lockstep {
namespace {

std::vector<at::Tensor> ZerosLike(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> zeros;
  for (const at::Tensor& tensor : tensors) {
    zeros.push_back(at::zeros_like(tensor.detach()));
  }
  return zeros;
}

// v = decay * v + (1 - decay) * g^2
void UpdateSquare(const std::vector<at::Tensor>& square, double decay, const std::vector<at::Tensor>& gradients) {
  at::_foreach_mul_(square, decay);
  at::_foreach_addcmul_(square, gradients, gradients, 1 - decay);
}

std::vector<at::Tensor> SqrtOfSum(const std::vector<at::Tensor>& tensors, double epsilon) {
  std::vector<at::Tensor> roots = at::_foreach_add(tensors, epsilon);
  at::_foreach_sqrt_(roots);
  return roots;
}

}  // namespace

AdaptiveOptimizer::AdaptiveOptimizer(std::vector<at::Tensor> parameters, const AdaptiveOptions& options)
    : Optimizer(std::move(parameters), options.learning_rate), options_(options),
      square_(ZerosLike(this->parameters())) {
  const bool is_adam = options.kind == proto::ADAM || options.kind == proto::ADAMW;
  if (is_adam || options.kind == proto::ADADELTA) {
    mean_ = ZerosLike(this->parameters());
  }
  if (is_adam || options.kind == proto::ADAGRAD) {
    for (const at::Tensor& parameter : this->parameters()) {
      steps_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
    }
  }
}

std::vector<std::pair<std::string, at::Tensor>> AdaptiveOptimizer::State() const {
  std::vector<std::pair<std::string, at::Tensor>> state;
  const auto add = [&](const char* name, const std::vector<at::Tensor>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      state.emplace_back(absl::StrCat(name, "/", i), tensors[i]);
    }
  };
  add("square", square_);
  add("mean", mean_);
  add("steps", steps_);
  return state;
}

absl::Status AdaptiveOptimizer::Step() {
  ASSIGN_OR_RETURN(std::vector<at::Tensor> gradients, Gradients());
  const at::NoGradGuard no_grad;
  if (options_.clip_norm != 0) {
    ClipGradients(gradients, options_.clip_norm);
  }
  if (!steps_.empty()) {
    at::_foreach_add_(steps_, 1);
  }
  switch (options_.kind) {
    case proto::ADAM:
    case proto::ADAMW:
      StepAdam(gradients);
      return absl::OkStatus();
    case proto::ADAGRAD:
      StepAdagrad(gradients);
      return absl::OkStatus();
    case proto::ADADELTA:
      StepAdadelta(std::move(gradients));
      return absl::OkStatus();
    case proto::RMSPROP:
      StepRmsprop(std::move(gradients));
      return absl::OkStatus();
    default:
      return absl::InternalError(absl::StrCat("not an adaptive optimizer: ", options_.kind));
  }
}

void AdaptiveOptimizer::StepAdam(const std::vector<at::Tensor>& gradients) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
  constexpr bool kAmsgrad = false, kMaximize = false;
  WithRate([&](auto rate) {
    const auto fused = [&](auto step) {
      step(parameters(), gradients, mean_, square_, at::TensorList(), steps_, rate, kBeta1, kBeta2,
           options_.weight_decay, kEpsilon, kAmsgrad, kMaximize);
    };
    if (options_.kind == proto::ADAMW) {
      fused([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
    } else {
      fused([](auto&&... arguments) { at::_fused_adam_(arguments...); });
    }
  });
}

void AdaptiveOptimizer::StepAdagrad(const std::vector<at::Tensor>& gradients) {
  constexpr double kRateDecay = 0, kEpsilon = 1e-10;
  constexpr bool kMaximize = false;
  WithRate([&](auto rate) {
    at::_fused_adagrad_(parameters(), gradients, square_, steps_, rate, kRateDecay, options_.weight_decay, kEpsilon,
                        kMaximize);
  });
}

void AdaptiveOptimizer::StepAdadelta(std::vector<at::Tensor> gradients) {
  constexpr double kDecay = 0.9, kEpsilon = 1e-6;
  if (options_.weight_decay != 0) {
    gradients = at::_foreach_add(gradients, parameters(), options_.weight_decay);
  }
  UpdateSquare(square_, kDecay, gradients);
  std::vector<at::Tensor> deltas = SqrtOfSum(mean_, kEpsilon);
  at::_foreach_div_(deltas, SqrtOfSum(square_, kEpsilon));
  at::_foreach_mul_(deltas, gradients);
  UpdateSquare(mean_, kDecay, deltas);
  Subtract(std::move(deltas));
}

void AdaptiveOptimizer::StepRmsprop(std::vector<at::Tensor> gradients) {
  constexpr double kDecay = 0.99, kEpsilon = 1e-8;
  if (options_.weight_decay != 0) {
    gradients = at::_foreach_add(gradients, parameters(), options_.weight_decay);
  }
  UpdateSquare(square_, kDecay, gradients);
  std::vector<at::Tensor> roots = at::_foreach_sqrt(square_);
  at::_foreach_add_(roots, kEpsilon);
  Subtract(at::_foreach_div(gradients, roots));
}

void AdaptiveOptimizer::Subtract(std::vector<at::Tensor> deltas) {
  if (rate_on_device().defined()) {
    at::_foreach_mul_(deltas, rate_on_device());
    at::_foreach_sub_(parameters(), deltas);
  } else {
    at::_foreach_add_(parameters(), deltas, -learning_rate());
  }
}

}  // namespace lockstep
