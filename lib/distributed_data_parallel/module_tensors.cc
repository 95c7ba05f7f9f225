#include "lib/distributed_data_parallel/module_tensors.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

std::string DescribeOne(const char* kind, const NamedParameter& named) {
  const at::Tensor& tensor = named.tensor;
  const std::string strides =
      tensor.is_contiguous() ? "" : absl::StrCat(", strides [", absl::StrJoin(tensor.strides(), ", "), "]");
  return absl::StrCat(kind, " ", named.name, " (", c10::toString(tensor.scalar_type()), " [",
                      absl::StrJoin(tensor.sizes(), ", "), "]", strides, ")");
}

absl::Status CheckDevice(const std::vector<NamedParameter>& tensors, c10::Device device) {
  for (const NamedParameter& named : tensors) {
    if (named.tensor.device() != device) {
      return absl::InvalidArgumentError(absl::StrCat(kOfDistributedDataParallel, "expected ", named.name, " on ",
                                                     device.str(), ", found ", named.tensor.device().str(),
                                                     ": call module->to(group.device()) before"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

ModuleTensors TensorsOf(const torch::nn::Module& module) {
  ModuleTensors tensors;
  std::set<const c10::TensorImpl*> seen;
  const auto add = [&](std::vector<NamedParameter>& to, const std::string& name, const at::Tensor& tensor) {
    if (tensor.defined() && seen.insert(tensor.unsafeGetTensorImpl()).second) {
      to.push_back({name, tensor});
    }
  };
  for (const auto& parameter : module.named_parameters()) {
    const at::Tensor& tensor = parameter.value();
    add(tensor.requires_grad() ? tensors.trainable : tensors.frozen, parameter.key(), tensor);
  }
  for (const auto& buffer : module.named_buffers()) {
    add(tensors.buffers, buffer.key(), buffer.value());
  }
  return tensors;
}

std::string Describe(const ModuleTensors& tensors) {
  std::vector<std::string> lines;
  for (const NamedParameter& parameter : tensors.trainable) {
    lines.push_back(DescribeOne("parameter", parameter));
  }
  for (const NamedParameter& parameter : tensors.frozen) {
    lines.push_back(DescribeOne("frozen parameter", parameter));
  }
  for (const NamedParameter& buffer : tensors.buffers) {
    lines.push_back(DescribeOne("buffer", buffer));
  }
  return absl::StrJoin(lines, "\n");
}

absl::Status CheckTensors(const ModuleTensors& tensors, c10::Device device) {
  if (tensors.trainable.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kOfDistributedDataParallel,
                     "the module has no parameter that requires a gradient: register its parameters, and "
                     "unfreeze at least one"));
  }
  for (const NamedParameter& parameter : tensors.trainable) {
    if (!CheckParameters({parameter}).ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          kOfDistributedDataParallel, "expected a dense leaf of fp32, found ", DescribeOne("parameter", parameter),
          ": call module->to(torch::kFloat32), or set its requires_grad to false"));
    }
  }
  RETURN_IF_ERROR(CheckDevice(tensors.trainable, device));
  RETURN_IF_ERROR(CheckDevice(tensors.frozen, device));
  return CheckDevice(tensors.buffers, device);
}

absl::Status CheckSameDescriptions(const std::vector<std::string>& all) {
  const std::vector<std::string> expected = absl::StrSplit(all[0], '\n');
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::vector<std::string> found = absl::StrSplit(all[rank], '\n');
    for (size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
      const std::string ours = i < expected.size() ? expected[i] : "nothing more";
      const std::string theirs = i < found.size() ? found[i] : "nothing more";
      if (ours != theirs) {
        return absl::InvalidArgumentError(absl::StrCat(
            kOfDistributedDataParallel, "expected the same module and options on all ranks, found ", theirs,
            " on rank ", rank, " and ", ours, " on rank 0: construct the same module on all ranks"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
