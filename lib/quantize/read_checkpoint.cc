#include "lib/quantize/read_checkpoint.h"

#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/nn/load_checkpoint.h"

namespace lockstep {
namespace {

using Tensors = torch::OrderedDict<std::string, torch::Tensor>;

constexpr const char* kNetworks[] = {"lenet5", "lenet5_bias", "resnet18"};
constexpr double kBatchNormEps = 1e-5;  // torch.nn.BatchNorm2d's default, which no network here changes

std::vector<float> CopyValues(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

// Returns the name of the batch norm after a convolution of pytorch-cifar's ResNet: bn1 after conv1, shortcut.1 after
// shortcut.0.
std::string BatchNormAfter(const std::string& convolution) {
  for (const auto& [from, to] : {std::pair{"conv1", "bn1"}, {"conv2", "bn2"}, {"shortcut.0", "shortcut.1"}}) {
    if (absl::EndsWith(convolution, from)) {
      return absl::StrCat(absl::StripSuffix(convolution, from), to);
    }
  }
  return "";
}

// Folds the batch norm `name` into the convolution before it.
void Fold(const std::string& name, const Tensors& parameters, const Tensors& buffers, FloatLayer& layer) {
  const std::vector<float> gamma = CopyValues(parameters[name + ".weight"]),
                           beta = CopyValues(parameters[name + ".bias"]);
  const std::vector<float> mean = CopyValues(buffers[name + ".running_mean"]);
  const std::vector<float> variance = CopyValues(buffers[name + ".running_var"]);
  layer.bias.resize(layer.shape.out_channels);
  for (size_t o = 0; o < layer.bias.size(); ++o) {
    const double factor = gamma[o] / std::sqrt(variance[o] + kBatchNormEps);
    for (size_t k = 0; k < layer.shape.Terms(); ++k) {
      float& weight = layer.weight[o * layer.shape.Terms() + k];
      weight = static_cast<float>(weight * factor);
    }
    layer.bias[o] = static_cast<float>(beta[o] - mean[o] * factor);
  }
}

}  // namespace

absl::StatusOr<FloatNetwork> FromModel(const std::string& name, const Model& model) {
  const bool is_lenet5 = absl::StartsWith(name, "lenet5");
  if (!is_lenet5 && name != "resnet18") {
    return absl::FailedPreconditionError(absl::StrCat(name, ": expected lenet5, lenet5_bias or resnet18"));
  }
  const Tensors parameters = model.named_parameters(), buffers = model.named_buffers();
  FloatNetwork network;
  network.name = name;
  for (LayerShape& shape : is_lenet5 ? LeNet5Layers() : ResNet18Layers()) {
    FloatLayer layer;
    layer.shape = std::move(shape);
    if (layer.shape.HasWeights()) {
      layer.weight = CopyValues(parameters[layer.shape.name + ".weight"]);
    }
    if (const torch::Tensor* bias = parameters.find(layer.shape.name + ".bias")) {
      layer.bias = CopyValues(*bias);
    }
    if (!is_lenet5 && layer.shape.kind == LayerKind::kConv2d) {
      Fold(BatchNormAfter(layer.shape.name), parameters, buffers, layer);
    }
    network.layers.push_back(std::move(layer));
  }
  return network;
}

absl::StatusOr<CheckpointNetwork> ReadCheckpoint(const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, ReadCheckpointBytes(path));
  ASSIGN_OR_RETURN(LoadedModel loaded, LoadFittingModel({std::begin(kNetworks), std::end(kNetworks)}, file));
  ASSIGN_OR_RETURN(FloatNetwork network, FromModel(loaded.name, *loaded.model));
  return CheckpointNetwork{std::move(network), file.input, std::move(loaded.weights)};
}

}  // namespace lockstep
