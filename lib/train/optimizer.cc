#include "lib/train/optimizer.h"

#include <ATen/ops/full.h>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::StatusOr<std::vector<at::Tensor>> Optimizer::Gradients() const {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const at::Tensor& parameter : parameters_) {
    gradients.push_back(parameter.grad());
    if (!gradients.back().defined()) {
      return absl::FailedPreconditionError(
          absl::StrCat("parameter ", gradients.size() - 1, " of ", parameters_.size(), " has no gradient"));
    }
  }
  return gradients;
}

void Optimizer::set_learning_rate(double learning_rate) {
  if (rate_.defined() && learning_rate != learning_rate_) {
    rate_.fill_(learning_rate);
  }
  learning_rate_ = learning_rate;
}

void Optimizer::ReadRateOnDevice(c10::Device device) {
  if (!rate_.defined()) {
    rate_ = at::full({}, learning_rate_, at::TensorOptions(device).dtype(at::kFloat));
  }
}

}  // namespace lockstep
