// Networks with random weights from a seed. Test-only.
#ifndef LOCKSTEP_LIB_INT8_RANDOM_NETWORK_TESTING_H_
#define LOCKSTEP_LIB_INT8_RANDOM_NETWORK_TESTING_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep::testing {

// Returns `count` values, uniform in [-bound, bound). Does not use std::uniform_*, whose results differ between
// standard libraries; std::mt19937 gives the same numbers everywhere.
inline std::vector<float> RandomValues(std::mt19937& random, size_t count, float bound) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = bound * (static_cast<float>(random()) / 2147483648.0f - 1.0f);
  }
  return values;
}

// Returns a small network on (3, 32, 32) with each kind of layer in resnet18: a stem, a strided block whose shortcut is
// a convolution, an average and a linear layer.
inline std::vector<LayerShape> SmallResidualLayers() {
  std::vector<LayerShape> layers;
  const auto add = [&layers](LayerShape shape, uint32_t stride, bool relu) {
    shape.stride = stride;
    shape.padding = shape.kernel == 3 ? 1 : 0;
    shape.relu = relu;
    layers.push_back(std::move(shape));
    return static_cast<uint32_t>(layers.size());
  };
  const uint32_t stem = add(ConvShape("stem", 0, {32, 32, 3}, 6, 3), 2, true);
  const uint32_t first = add(ConvShape("block.conv1", stem, {16, 16, 6}, 9, 3), 2, true);
  const uint32_t second = add(ConvShape("block.conv2", first, {8, 8, 9}, 9, 3), 1, false);
  const uint32_t shortcut = add(ConvShape("block.shortcut", stem, {16, 16, 6}, 9, 1), 2, false);
  const uint32_t sum = add(AddShape("block.add", second, shortcut, {8, 8, 9}), 1, true);
  const uint32_t pool = add(GlobalAveragePoolShape("pool", sum, {8, 8, 9}), 1, false);
  layers.push_back(LinearShape("linear", pool, {1, 1, 9}, 10));
  return layers;
}

enum class Biases { kNone, kRandom };

// Returns a network with every weight and bias uniform within 1 / sqrt(terms), the initialisation of torch.nn. Its name
// is that of one of the lab's networks.
inline FloatNetwork RandomNetwork(std::vector<LayerShape> shapes, Biases biases, uint32_t seed) {
  std::mt19937 random(seed);
  FloatNetwork network;
  network.name = biases == Biases::kRandom ? "lenet5_bias" : "lenet5";
  for (LayerShape& shape : shapes) {
    const float bound = 1.0f / std::sqrt(static_cast<float>(shape.Terms()));
    FloatLayer layer;
    layer.weight = RandomValues(random, shape.WeightSize(), bound);
    if (biases == Biases::kRandom && shape.HasWeights()) {
      layer.bias = RandomValues(random, shape.out_channels, bound);
    }
    layer.shape = std::move(shape);
    network.layers.push_back(std::move(layer));
  }
  return network;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_RANDOM_NETWORK_TESTING_H_
