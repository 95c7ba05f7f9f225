#include "lib/quantize/torch_network.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/device/torch_status.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/model.h"

namespace lockstep {
namespace {

using Parameters = torch::OrderedDict<std::string, torch::Tensor>;

std::vector<float> CopyValues(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

// The model's numbers; its layers are lenet5's.
FloatNetwork FromModel(const std::string& name, Model& model) {
  const Parameters parameters = model.named_parameters();
  FloatNetwork network;
  network.name = name;
  for (LayerShape& shape : LeNet5Layers()) {
    FloatLayer layer;
    layer.weight = CopyValues(parameters[shape.name + ".weight"]);
    if (const torch::Tensor* bias = parameters.find(shape.name + ".bias")) {
      layer.bias = CopyValues(*bias);
    }
    layer.shape = std::move(shape);
    network.layers.push_back(std::move(layer));
  }
  return network;
}

absl::Status SetParameter(const std::string& name, const std::vector<float>& values, Parameters& parameters) {
  torch::Tensor* parameter = parameters.find(name);
  if (parameter == nullptr || static_cast<size_t>(parameter->numel()) != values.size()) {
    return absl::InternalError(absl::StrCat("the model has no parameter ", name, " of ", values.size(), " values"));
  }
  // from_blob wants a pointer to non-const, and only reads here.
  parameter->copy_(at::from_blob(const_cast<float*>(values.data()), parameter->sizes()));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Model>> ToModel(const FloatNetwork& network) {
  ASSIGN_OR_RETURN(std::shared_ptr<Model> model, MakeModel(network.name, /*seed=*/0));
  Parameters parameters = model->named_parameters();
  for (const FloatLayer& layer : network.layers) {
    RETURN_IF_ERROR(SetParameter(layer.shape.name + ".weight", layer.weight, parameters));
    if (!layer.bias.empty()) {
      RETURN_IF_ERROR(SetParameter(layer.shape.name + ".bias", layer.bias, parameters));
    }
  }
  model->eval();
  return model;
}

}  // namespace

absl::StatusOr<FloatNetwork> ReadCheckpoint(const std::string& path) {
  std::string reasons;
  for (const char* name : {"lenet5", "lenet5_bias"}) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(name, /*seed=*/0));
    const absl::Status status = LoadCheckpoint(*model, path);
    if (status.ok()) {
      return FromModel(name, *model);
    }
    if (status.code() != absl::StatusCode::kFailedPrecondition) {
      return status;
    }
    absl::StrAppend(&reasons, reasons.empty() ? "" : "; ", "not ", name, ": ", status.message());
  }
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": expected a checkpoint of lenet5 or lenet5_bias (train_sweep --model=lenet5 --checkpoint=...); ",
      reasons));
}

absl::StatusOr<std::vector<float>> TorchLogits(const FloatNetwork& network, const std::vector<float>& images) {
  std::vector<float> logits;
  RETURN_IF_ERROR(CatchTorchErrors("LibTorch's forward pass", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, ToModel(network));
    const auto count = static_cast<int64_t>(images.size() / kImageBytes);
    logits = CopyValues(
        model->forward(at::from_blob(const_cast<float*>(images.data()), {count, kChannels, kImageSize, kImageSize})));
    return absl::OkStatus();
  }));
  return logits;
}

}  // namespace lockstep
