#include "lib/nn/script_model.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_status.h"

namespace lockstep {
namespace {

constexpr char kHowToSave[] = "; save it by torch.jit.save(torch.jit.script(net), \"net.pt\") (docs/own_network.md)";

// Registers a module's parameters and buffers, and those of its submodules, under the same names. The tensors are
// shared: whatever changes them here changes those of the script.
class Mirror : public torch::nn::Module {
 public:
  explicit Mirror(const torch::jit::Module& script) { Add(script, *this); }

  static void Add(const torch::jit::Module& script, torch::nn::Module& mirror) {
    for (const auto& parameter : script.named_parameters(/*recurse=*/false)) {
      mirror.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
    }
    for (const auto& buffer : script.named_buffers(/*recurse=*/false)) {
      mirror.register_buffer(buffer.name, buffer.value);
    }
    for (const auto& child : script.named_children()) {
      mirror.register_module(child.name, std::make_shared<Mirror>(child.value));
    }
  }
};

class ScriptModel : public Model {
 public:
  ScriptModel(torch::jit::Module script, const ModelShape& shape) : Model(shape), script_(std::move(script)) {
    Mirror::Add(script_, *this);
  }

  // Runs the script operator by operator, like Python without TorchScript. Its optimizer would compile kernels in the
  // first steps and change the bits of later ones.
  torch::Tensor forward(torch::Tensor images) override {
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    return script_.forward({std::move(images)}).toTensor();
  }

  void train(bool on = true) override {
    torch::nn::Module::train(on);
    script_.train(on);
  }

 private:
  torch::jit::Module script_;
};

// Returns FailedPrecondition for a tensor that is neither parameter nor buffer.
absl::Status CheckAttributes(const torch::jit::Module& script) {
  std::set<std::string> shared;
  for (const auto& parameter : script.named_parameters()) {
    shared.insert(parameter.name);
  }
  for (const auto& buffer : script.named_buffers()) {
    shared.insert(buffer.name);
  }
  for (const auto& attribute : script.named_attributes()) {
    if (attribute.value.isTensor() && shared.count(attribute.name) == 0) {
      return absl::FailedPreconditionError(absl::StrCat("the tensor ", attribute.name,
                                                        " is neither parameter nor buffer, so ranks would not share "
                                                        "its changes; make it one with register_buffer"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckParameters(const torch::nn::Module& model) {
  if (model.parameters().empty()) {
    return absl::FailedPreconditionError("expected parameters to train, found none");
  }
  for (const auto& parameter : model.named_parameters()) {
    const torch::Tensor& tensor = parameter.value();
    if (tensor.scalar_type() != at::kFloat) {
      return absl::FailedPreconditionError(absl::StrCat("expected parameters in fp32, found ", parameter.key(), " in ",
                                                        c10::toString(tensor.scalar_type()),
                                                        "; call net.float() first"));
    }
    if (!tensor.requires_grad()) {
      return absl::FailedPreconditionError(absl::StrCat("the parameter ", parameter.key(),
                                                        " is frozen (requires_grad is False); make it a buffer, or "
                                                        "set requires_grad"));
    }
  }
  return absl::OkStatus();
}

std::string SizesText(const torch::Tensor& tensor) {
  return absl::StrCat("(", absl::StrJoin(tensor.sizes(), ", "), ")");
}

// Trains on two images and restores the buffers.
absl::Status CheckRun(Model& model, const ModelShape& shape) {
  std::vector<torch::Tensor> saved;
  for (const torch::Tensor& buffer : model.buffers()) {
    saved.push_back(buffer.clone());
  }
  constexpr int64_t kImages = 2;
  const torch::Tensor images = at::rand({kImages, kChannels, shape.height, shape.width});
  const torch::Tensor logits = model.forward(images);
  if (logits.dim() != 2 || logits.size(0) != kImages || logits.size(1) != shape.classes ||
      !logits.is_floating_point()) {
    return absl::FailedPreconditionError(absl::StrCat("expected logits of shape (N, ", shape.classes,
                                                      ") for images of shape (N, 3, ", shape.height, ", ", shape.width,
                                                      "), found ", SizesText(logits), " for N = ", kImages));
  }
  at::cross_entropy_loss(logits, at::zeros({kImages}, at::kLong)).backward();
  for (const auto& parameter : model.named_parameters()) {
    if (!parameter.value().grad().defined()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the parameter ", parameter.key(), " gets no gradient; remove it, or use it in forward()"));
    }
  }
  model.zero_grad();
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < saved.size(); ++i) {
    model.buffers()[i].copy_(saved[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<torch::jit::Module> LoadScript(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: ", std::strerror(errno)));
  }
  try {
    return torch::jit::load(path, c10::Device(c10::kCPU));
  } catch (const c10::Error& error) {
    // LibTorch calls every other file corrupted, also a state_dict.
    const absl::string_view reason = error.what_without_backtrace();
    return absl::DataLossError(absl::StrCat(path, ": expected a TorchScript module, found another or a damaged file",
                                            kHowToSave, "; LibTorch's reason: ", reason.substr(0, reason.find('\n'))));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<Model>> LoadScriptModel(const std::string& path, const ModelShape& shape) {
  ASSIGN_OR_RETURN(torch::jit::Module script, LoadScript(path));
  absl::Status status = CheckAttributes(script);
  const auto model = std::make_shared<ScriptModel>(std::move(script), shape);
  model->train();
  if (status.ok()) {
    status = CheckParameters(*model);
  }
  if (status.ok()) {
    status =
        CatchTorchErrors(absl::StrCat("running it on images of shape (2, 3, ", shape.height, ", ", shape.width, ")"),
                         [&] { return CheckRun(*model, shape); });
  }
  if (!status.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": ", status.message()));
  }
  return model;
}

}  // namespace lockstep
