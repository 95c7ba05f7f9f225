// Networks with weights drawn from a seed. Test-only.
#ifndef LOCKSTEP_LIB_INT8_RANDOM_NETWORK_H_
#define LOCKSTEP_LIB_INT8_RANDOM_NETWORK_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep::testing {

// `count` values, uniform in [-bound, bound). std::mt19937 is the same everywhere; std::uniform_* is not, hence by
// hand.
inline std::vector<float> RandomValues(std::mt19937& random, size_t count, float bound) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = bound * (static_cast<float>(random()) / 2147483648.0f - 1.0f);
  }
  return values;
}

// Every weight and bias uniform within 1 / sqrt(terms), as torch.nn initialises them.
inline FloatNetwork RandomNetwork(std::vector<LayerShape> shapes, bool bias, uint32_t seed) {
  std::mt19937 random(seed);
  FloatNetwork network;
  network.name = bias ? "lenet5_bias" : "lenet5";
  for (LayerShape& shape : shapes) {
    const float bound = 1.0f / std::sqrt(static_cast<float>(shape.Terms()));
    FloatLayer layer;
    layer.weight = RandomValues(random, shape.WeightSize(), bound);
    if (bias) {
      layer.bias = RandomValues(random, shape.out_channels, bound);
    }
    layer.shape = std::move(shape);
    network.layers.push_back(std::move(layer));
  }
  return network;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_RANDOM_NETWORK_H_
