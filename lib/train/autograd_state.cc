#include "lib/train/autograd_state.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

std::string BytesOf(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
  return std::string(static_cast<const char*>(host.data_ptr()), host.nbytes());
}

// Copies an array into the tensor. from_blob takes no const pointer, but nothing writes through it.
absl::Status Fill(const std::string& name, const TrainingArrays& arrays, const at::Tensor& tensor) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() != tensor.nbytes()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the training state has no array ", name, " of ", tensor.nbytes(), " bytes"));
  }
  tensor.detach().copy_(at::from_blob(const_cast<char*>(found->second.data()), tensor.sizes(), tensor.scalar_type()));
  return absl::OkStatus();
}

std::map<std::string, at::Tensor> Tensors(const torch::nn::Module& model, const Optimizer& optimizer) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& named : {model.named_parameters(), model.named_buffers()}) {
    for (const auto& item : named) {
      tensors[item.key()] = item.value();
    }
  }
  for (const auto& [name, tensor] : optimizer.State()) {
    tensors[name] = tensor;
  }
  return tensors;
}

}  // namespace

TrainingArrays ReadAutogradState(const torch::nn::Module& model, const Optimizer& optimizer) {
  TrainingArrays arrays;
  for (const auto& [name, tensor] : Tensors(model, optimizer)) {
    arrays[name] = BytesOf(tensor);
  }
  return arrays;
}

absl::Status WriteAutogradState(const TrainingArrays& arrays, torch::nn::Module& model, Optimizer& optimizer) {
  for (const auto& [name, tensor] : Tensors(model, optimizer)) {
    RETURN_IF_ERROR(Fill(name, arrays, tensor));
  }
  optimizer.MarkStateInitialized();
  return absl::OkStatus();
}

}  // namespace lockstep
