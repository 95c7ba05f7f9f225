#include "lib/int8/float_reference.h"

#include <utility>

#include "lib/int8/plain_layers.h"

namespace lockstep {
namespace {

using Tensors = std::vector<std::vector<float>>;

// Returns the layer's output before ReLU: shape.Out().
std::vector<float> Compute(const FloatLayer& layer, const Tensors& tensors) {
  const LayerShape& shape = layer.shape;
  const std::vector<float>& input = tensors[shape.inputs[0]];
  std::vector<float> output(shape.Out().Size());
  if (shape.HasWeights()) {
    const float* bias = layer.bias.empty() ? nullptr : layer.bias.data();
    WeightedSum(shape, input.data(), 0.0f, layer.weight.data(), bias, output.data());
  } else if (shape.kind == LayerKind::kAdd) {
    const std::vector<float>& other = tensors[shape.inputs[1]];
    for (size_t i = 0; i < output.size(); ++i) {
      output[i] = input[i] + other[i];
    }
  } else {
    SumPixels(shape, input.data(), 0.0f, output.data());
    for (float& value : output) {
      value /= static_cast<float>(shape.in_height * shape.in_width);
    }
  }
  return output;
}

std::vector<float> Pool(const LayerShape& shape, std::vector<float> values) {
  if (shape.pool == 0) {
    return values;
  }
  std::vector<float> pooled(shape.Pooled().Size());
  MaxPool(shape, values.data(), pooled.data());
  return pooled;
}

}  // namespace

std::vector<float> RunFloat(const FloatNetwork& network, const float* image, const FloatObserver& observe) {
  Tensors tensors = {{image, image + network.layers.front().shape.In().Size()}};
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const LayerShape& shape = network.layers[i].shape;
    const std::vector<float> before = Compute(network.layers[i], tensors);
    std::vector<float> after = before;
    if (shape.relu) {
      Relu(after.data(), after.size());
    }
    if (observe) {
      observe(i, before, after);
    }
    tensors.push_back(Pool(shape, std::move(after)));
  }
  return std::move(tensors.back());
}

}  // namespace lockstep
