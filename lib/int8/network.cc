#include "lib/int8/network.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

LayerShape Conv(std::string name, uint32_t in, uint32_t size, uint32_t out, uint32_t kernel, uint32_t pool) {
  return {std::move(name), LayerKind::kConv2d, in, size, size, out, kernel, /*relu=*/true, pool};
}

LayerShape Linear(std::string name, uint32_t in, uint32_t out, bool relu) {
  return {std::move(name), LayerKind::kLinear, in, 1, 1, out, 1, relu, /*pool=*/0};
}

absl::Status CheckShape(const LayerShape& shape) {
  if (shape.kernel == 0 || shape.kernel > shape.in_height || shape.kernel > shape.in_width) {
    return absl::FailedPreconditionError(absl::StrCat(shape.name, ": a kernel of ", shape.kernel,
                                                      " does not fit an input of ", shape.in_height, " x ",
                                                      shape.in_width));
  }
  if (shape.in_channels == 0 || shape.PooledSize() == 0) {
    return absl::FailedPreconditionError(absl::StrCat(shape.name, ": has no inputs or no outputs"));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<LayerShape> LeNet5Layers() {
  return {Conv("conv1", 3, 32, 6, 5, 2), Conv("conv2", 6, 14, 16, 5, 2), Linear("fc1", 400, 120, true),
          Linear("fc2", 120, 84, true), Linear("fc3", 84, 10, false)};
}

uint64_t CountMacs(const std::vector<LayerShape>& layers) {
  uint64_t macs = 0;
  for (const LayerShape& shape : layers) {
    macs += shape.OutputSize() * shape.Terms();
  }
  return macs;
}

bool FloatNetwork::HasBias() const {
  for (const FloatLayer& layer : layers) {
    if (!layer.bias.empty()) {
      return true;
    }
  }
  return false;
}

absl::Status CheckShapes(const std::vector<LayerShape>& layers) {
  if (layers.empty()) {
    return absl::FailedPreconditionError("a network without layers");
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    RETURN_IF_ERROR(CheckShape(layers[i]));
    if (i > 0 && layers[i].InputSize() != layers[i - 1].PooledSize()) {
      return absl::FailedPreconditionError(absl::StrCat(layers[i].name, ": reads ", layers[i].InputSize(),
                                                        " values, but ", layers[i - 1].name, " gives ",
                                                        layers[i - 1].PooledSize()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNetwork(const FloatNetwork& network) {
  std::vector<LayerShape> shapes;
  for (const FloatLayer& layer : network.layers) {
    shapes.push_back(layer.shape);
    if (layer.weight.size() != layer.shape.WeightSize()) {
      return absl::FailedPreconditionError(absl::StrCat(layer.shape.name, ".weight: ", layer.weight.size(),
                                                        " values, its shape wants ", layer.shape.WeightSize()));
    }
    if (!layer.bias.empty() && layer.bias.size() != layer.shape.out_channels) {
      return absl::FailedPreconditionError(absl::StrCat(layer.shape.name, ".bias: ", layer.bias.size(),
                                                        " values, its shape wants ", layer.shape.out_channels));
    }
  }
  return CheckShapes(shapes);
}

}  // namespace lockstep
