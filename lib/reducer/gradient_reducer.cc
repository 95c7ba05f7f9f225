#include "lib/reducer/gradient_reducer.h"

#include <ATen/ops/cat.h>

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status CheckParameters(const std::vector<NamedParameter>& parameters) {
  if (parameters.empty()) {
    return absl::InvalidArgumentError("a reducer needs at least one parameter");
  }
  for (const NamedParameter& parameter : parameters) {
    const at::Tensor& tensor = parameter.tensor;
    if (!tensor.defined() || !tensor.is_leaf() || !tensor.requires_grad() || tensor.scalar_type() != at::kFloat ||
        !tensor.is_non_overlapping_and_dense()) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", parameter.name, " must be a dense fp32 leaf that requires a gradient"));
    }
  }
  return absl::OkStatus();
}

BucketPlan FirstBuckets(const std::vector<NamedParameter>& parameters, const BucketCaps& caps) {
  std::vector<size_t> reverse;
  for (size_t i = parameters.size(); i > 0; --i) {
    reverse.push_back(i - 1);
  }
  return PlanBuckets(GradientBytes(parameters), reverse, caps);
}

std::vector<uint64_t> GradientBytes(const std::vector<NamedParameter>& parameters) {
  std::vector<uint64_t> bytes;
  for (const NamedParameter& parameter : parameters) {
    bytes.push_back(parameter.tensor.nbytes());
  }
  return bytes;
}

std::vector<uint64_t> BytesOfBuckets(const BucketPlan& plan, const std::vector<NamedParameter>& parameters) {
  std::vector<uint64_t> bytes;
  for (const std::vector<size_t>& bucket : plan) {
    bytes.push_back(0);
    for (const size_t parameter : bucket) {
      bytes.back() += parameters[parameter].tensor.nbytes();
    }
  }
  return bytes;
}

at::Tensor FlattenGradients(const std::vector<NamedParameter>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& parameter : parameters) {
    gradients.push_back(parameter.tensor.grad());
  }
  return Flatten(gradients);
}

at::Tensor Flatten(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors) {
    flat.push_back(tensor.reshape({-1}));
  }
  return at::cat(flat);
}

absl::Status NoGradient(const NamedParameter& parameter) {
  return absl::FailedPreconditionError(
      absl::StrCat("parameter ", parameter.name, " got no gradient: every parameter must take part in the loss"));
}

}  // namespace lockstep
