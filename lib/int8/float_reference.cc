#include "lib/int8/float_reference.h"

#include <utility>

#include "lib/int8/plain_layers.h"

namespace lockstep {
namespace {

std::vector<float> Pool(const LayerShape& shape, std::vector<float> values) {
  if (shape.pool == 0) {
    return values;
  }
  std::vector<float> pooled(shape.PooledSize());
  MaxPool(shape, values.data(), pooled.data());
  return pooled;
}

}  // namespace

std::vector<float> RunFloat(const FloatNetwork& network, const float* image, const FloatObserver& observe) {
  std::vector<float> values(image, image + network.layers.front().shape.InputSize());
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const FloatLayer& layer = network.layers[i];
    std::vector<float> before(layer.shape.OutputSize());
    const float* bias = layer.bias.empty() ? nullptr : layer.bias.data();
    WeightedSum(layer.shape, values.data(), layer.weight.data(), bias, before.data());
    std::vector<float> after = before;
    if (layer.shape.relu) {
      Relu(after.data(), after.size());
    }
    if (observe) {
      observe(i, before, after);
    }
    values = Pool(layer.shape, std::move(after));
  }
  return values;
}

}  // namespace lockstep
