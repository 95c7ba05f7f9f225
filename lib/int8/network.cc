#include "lib/int8/network.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr uint32_t kLargestSide = 1 << 14;  // limit for sides of an image or kernel and for numbers of channels:
                                            // products stay below 2^63

// Builder that adds layers one after another. A tensor has the number of the layer that wrote it.
class Graph {
 public:
  uint32_t Add(LayerShape shape) {
    layers_.push_back(std::move(shape));
    return static_cast<uint32_t>(layers_.size());
  }

  Extent Of(uint32_t tensor) const { return layers_[tensor - 1].Pooled(); }

  // Adds a 3 x 3 convolution with padding and returns its output tensor.
  uint32_t Conv3x3(std::string name, uint32_t input, uint32_t out, uint32_t stride, bool relu) {
    LayerShape shape = ConvShape(std::move(name), input, Of(input), out, 3);
    shape.stride = stride;
    shape.padding = 1;
    shape.relu = relu;
    return Add(std::move(shape));
  }

  // Adds two convolutions and a shortcut, which is a convolution if the shape changes.
  uint32_t BasicBlock(const std::string& name, uint32_t input, uint32_t out, uint32_t stride) {
    const uint32_t first = Conv3x3(name + ".conv1", input, out, stride, /*relu=*/true);
    const uint32_t second = Conv3x3(name + ".conv2", first, out, 1, /*relu=*/false);
    uint32_t shortcut = input;
    if (Of(input) != Of(second)) {
      LayerShape projection = ConvShape(name + ".shortcut.0", input, Of(input), out, 1);
      projection.stride = stride;
      shortcut = Add(std::move(projection));
    }
    LayerShape add = AddShape(name + ".add", second, shortcut, Of(second));
    add.relu = true;
    return Add(std::move(add));
  }

  std::vector<LayerShape> Take() { return std::move(layers_); }

 private:
  std::vector<LayerShape> layers_;
};

absl::Status Wrong(const LayerShape& shape, const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat(shape.name, ": ", what));
}

std::string InWords(const Extent& extent) {
  return absl::StrCat(extent.channels, " channels of ", extent.height, " x ", extent.width);
}

absl::Status CheckShape(const LayerShape& shape) {
  for (const uint32_t side : {shape.in_channels, shape.in_height, shape.in_width, shape.out_channels, shape.kernel,
                              shape.stride, shape.padding + 1, shape.pool + 1}) {
    if (side == 0 || side > kLargestSide) {
      return Wrong(shape, absl::StrCat("a size of its shape is 0 or above ", kLargestSide));
    }
  }
  if (shape.kernel > shape.in_height + 2 * shape.padding || shape.kernel > shape.in_width + 2 * shape.padding) {
    return Wrong(shape, absl::StrCat("a kernel of ", shape.kernel, " does not fit an input of ", shape.in_height, " x ",
                                     shape.in_width, " padded by ", shape.padding));
  }
  if (shape.padding >= shape.kernel) {
    return Wrong(shape, absl::StrCat("a padding of ", shape.padding, " is not below its kernel of ", shape.kernel));
  }
  if (!shape.HasWeights() && (shape.out_channels != shape.in_channels || shape.kernel != 1 || shape.stride != 1)) {
    return Wrong(shape, "has no weights, but changes channels, or has a kernel or a stride");
  }
  if (shape.kind == LayerKind::kLinear && shape.Out() != Extent{1, 1, shape.out_channels}) {
    return Wrong(shape, "is fully connected, but its kernel does not cover its input");
  }
  if (shape.Pooled().Size() == 0) {
    return Wrong(shape, "has no outputs");
  }
  return absl::OkStatus();
}

uint64_t CountRealTaps(const LayerShape& shape, uint32_t places, uint32_t size) {
  uint64_t count = 0;
  for (uint32_t place = 0; place < places; ++place) {
    const Taps taps = RealTaps(shape, place, size);
    count += static_cast<uint64_t>(taps.last - taps.first);
  }
  return count;
}

}  // namespace

Extent LayerShape::Out() const {
  if (kind == LayerKind::kGlobalAveragePool) {
    return {1, 1, out_channels};
  }
  return {(in_height + 2 * padding - kernel) / stride + 1, (in_width + 2 * padding - kernel) / stride + 1,
          out_channels};
}

Extent LayerShape::Pooled() const {
  const Extent out = Out();
  return pool == 0 ? out : Extent{out.height / pool, out.width / pool, out.channels};
}

uint64_t LayerShape::RealMacs() const {
  const Extent out = Out();
  return HasWeights() ? CountRealTaps(*this, out.height, in_height) * CountRealTaps(*this, out.width, in_width) *
                            uint64_t{in_channels} * out_channels
                      : 0;
}

Taps RealTaps(const LayerShape& shape, uint32_t place, uint32_t size) {
  const int64_t begin = int64_t{place} * shape.stride - shape.padding;  // negative if the kernel begins in the padding
  const int64_t first = std::max<int64_t>(0, -begin);
  return {first, std::max(first, std::min<int64_t>(shape.kernel, int64_t{size} - begin))};
}

LayerShape ConvShape(std::string name, uint32_t input, Extent in, uint32_t out_channels, uint32_t kernel) {
  LayerShape shape;
  shape.name = std::move(name);
  shape.inputs = {input};
  shape.in_height = in.height;
  shape.in_width = in.width;
  shape.in_channels = in.channels;
  shape.out_channels = out_channels;
  shape.kernel = kernel;
  return shape;
}

LayerShape LinearShape(std::string name, uint32_t input, Extent in, uint32_t out_channels) {
  LayerShape shape = ConvShape(std::move(name), input, in, out_channels, in.height);
  shape.kind = LayerKind::kLinear;
  return shape;
}

LayerShape AddShape(std::string name, uint32_t first, uint32_t second, Extent in) {
  LayerShape shape = ConvShape(std::move(name), first, in, in.channels, 1);
  shape.kind = LayerKind::kAdd;
  shape.inputs.push_back(second);
  return shape;
}

LayerShape GlobalAveragePoolShape(std::string name, uint32_t input, Extent in) {
  LayerShape shape = ConvShape(std::move(name), input, in, in.channels, 1);
  shape.kind = LayerKind::kGlobalAveragePool;
  return shape;
}

std::vector<LayerShape> LeNet5Layers() {
  Graph graph;
  uint32_t x = 0;
  for (const auto& [name, in, out] : {std::tuple{"conv1", Extent{32, 32, 3}, 6u}, {"conv2", Extent{14, 14, 6}, 16u}}) {
    LayerShape conv = ConvShape(name, x, in, out, 5);
    conv.relu = true;
    conv.pool = 2;
    x = graph.Add(std::move(conv));
  }
  for (const auto& [name, out] : {std::pair{"fc1", 120u}, {"fc2", 84u}, {"fc3", 10u}}) {
    LayerShape linear = LinearShape(name, x, graph.Of(x), out);
    linear.relu = out != 10;
    x = graph.Add(std::move(linear));
  }
  return graph.Take();
}

std::vector<LayerShape> ResNet18Layers() {
  Graph graph;
  LayerShape stem = ConvShape("conv1", 0, {32, 32, 3}, 64, 3);
  stem.padding = 1;
  stem.relu = true;
  uint32_t x = graph.Add(std::move(stem));
  uint32_t channels = 64;
  for (uint32_t stage = 1; stage <= 4; ++stage) {
    const std::string name = absl::StrCat("layer", stage);
    x = graph.BasicBlock(name + ".0", x, channels, stage == 1 ? 1 : 2);
    x = graph.BasicBlock(name + ".1", x, channels, 1);
    channels *= 2;
  }
  x = graph.Add(GlobalAveragePoolShape("avgpool", x, graph.Of(x)));
  graph.Add(LinearShape("linear", x, graph.Of(x), 10));
  return graph.Take();
}

uint64_t CountMacs(const std::vector<LayerShape>& layers) {
  uint64_t macs = 0;
  for (const LayerShape& shape : layers) {
    macs += shape.Macs();
  }
  return macs;
}

Extent TensorExtent(const std::vector<LayerShape>& layers, uint32_t tensor) {
  return tensor == 0 ? layers.front().In() : layers[tensor - 1].Pooled();
}

bool FloatNetwork::HasBias() const {
  return std::any_of(layers.begin(), layers.end(), [](const FloatLayer& layer) { return !layer.bias.empty(); });
}

std::vector<LayerShape> FloatNetwork::Shapes() const {
  std::vector<LayerShape> shapes;
  for (const FloatLayer& layer : layers) {
    shapes.push_back(layer.shape);
  }
  return shapes;
}

absl::Status CheckShapes(const std::vector<LayerShape>& layers) {
  if (layers.empty()) {
    return absl::FailedPreconditionError("a network without layers");
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    const LayerShape& shape = layers[i];
    RETURN_IF_ERROR(CheckShape(shape));
    if (const size_t wanted = shape.kind == LayerKind::kAdd ? 2 : 1; shape.inputs.size() != wanted) {
      return Wrong(shape, absl::StrCat("reads ", shape.inputs.size(), " tensors, expected ", wanted));
    }
    for (const uint32_t input : shape.inputs) {
      if (input > i || (i == 0 && input != 0)) {
        return Wrong(shape, absl::StrCat("reads tensor ", input, ", which no layer before it writes"));
      }
      if (const Extent given = TensorExtent(layers, input); given != shape.In()) {
        return Wrong(shape,
                     absl::StrCat("reads ", InWords(shape.In()), ", but ",
                                  input == 0 ? "the image has " : layers[input - 1].name + " gives ", InWords(given)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNetwork(const FloatNetwork& network) {
  RETURN_IF_ERROR(CheckShapes(network.Shapes()));
  for (const FloatLayer& layer : network.layers) {
    if (layer.weight.size() != layer.shape.WeightSize()) {
      return absl::FailedPreconditionError(absl::StrCat(layer.shape.name, ".weight: ", layer.weight.size(),
                                                        " values, its shape needs ", layer.shape.WeightSize()));
    }
    if (!layer.bias.empty() && (!layer.shape.HasWeights() || layer.bias.size() != layer.shape.out_channels)) {
      return absl::FailedPreconditionError(absl::StrCat(layer.shape.name, ".bias: ", layer.bias.size(),
                                                        " values, its shape needs ",
                                                        layer.shape.HasWeights() ? layer.shape.out_channels : 0));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
