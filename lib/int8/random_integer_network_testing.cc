#include "lib/int8/random_integer_network_testing.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lockstep::testing {
namespace {

// Returns a uniform number in [low, high]. std::mt19937 is the same everywhere, std::uniform_* is not.
int32_t Between(std::mt19937& random, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
}

bool OneIn(std::mt19937& random, uint32_t n) { return random() % n == 0; }

std::vector<int8_t> RandomWeights(size_t size, std::mt19937& random) {
  std::vector<int8_t> weights(size);
  const uint32_t kind = random() % 8;
  for (int8_t& weight : weights) {
    weight = static_cast<int8_t>(kind == 0   ? 127
                                 : kind == 1 ? -127
                                 : kind == 2 ? (OneIn(random, 2) ? 127 : -127)
                                             : Between(random, -127, 127));
  }
  return weights;
}

// Returns a multiplier with which sums of uniform values and weights spread by some 50 around the zero point.
float SpreadingMultiplier(size_t terms) {
  return 50.0f / (74.0f * 74.0f * std::sqrt(static_cast<float>(std::max<size_t>(terms, 1))));
}

void FillWeights(size_t zeroed, std::mt19937& random, IntegerLayer& layer) {
  const LayerShape& shape = layer.shape;
  layer.weight = RandomWeights(shape.WeightSize(), random);
  for (size_t i = 0; i < zeroed; ++i) {  // a channel of zeros
    std::fill_n(layer.weight.begin() + random() % shape.out_channels * shape.Terms(), shape.Terms(), int8_t{0});
  }
}

void FillMultipliers(std::mt19937& random, IntegerLayer& layer) {
  const bool ties = OneIn(random, 3);  // powers of two: every other sum is a tie
  const float beyond = !OneIn(random, 16) ? 1.0f : OneIn(random, 2) ? 1e9f : 1e37f;  // beyond int32; beyond float32
  for (uint32_t o = 0; o < layer.shape.out_channels; ++o) {
    const float spread = static_cast<float>(Between(random, 1, 300)) / 100.0f;
    const float power = std::ldexp(1.0f, -Between(random, 1, 9));
    layer.multiplier.push_back(beyond * (ties ? power : SpreadingMultiplier(layer.shape.Terms()) * spread));
  }
  if (OneIn(random, 16)) {  // allowed, though no record has it
    layer.multiplier[random() % layer.multiplier.size()] *= -1;
  }
}

void FillWeighted(bool sums, std::mt19937& random, IntegerLayer& layer) {
  FillWeights(OneIn(random, 4) ? 1 : 0, random, layer);
  if (!sums) {
    FillMultipliers(random, layer);
  }
  const uint32_t kind = random() % 3;
  for (uint32_t o = 0; kind != 0 && o < layer.shape.out_channels; ++o) {
    if (kind == 1 || sums) {
      layer.bias.push_back(Between(random, -5000, 5000));
    } else {
      layer.float_bias.push_back(static_cast<float>(Between(random, -50000, 50000)) / 7.0f);
    }
  }
}

void FillAdd(int32_t zero_a, int32_t zero_b, std::mt19937& random, IntegerLayer& layer) {
  const float a = OneIn(random, 16)  ? 1e9f
                  : OneIn(random, 2) ? 0.5f
                                     : static_cast<float>(Between(random, 1, 2000)) / 999.0f;
  const float b = OneIn(random, 2) ? 0.5f : static_cast<float>(Between(random, 1, 2000)) / 999.0f;
  layer.add = MakeAddFactors(a, b, zero_a, zero_b, layer.zero_point);
}

uint32_t RandomChannels(std::mt19937& random) {
  return OneIn(random, 8)   ? Between(random, 60, 140)
         : OneIn(random, 3) ? Between(random, 1, 4)
                            : Between(random, 1, 40);
}

// Returns a convolution or fully connected layer on `in`, with `out` outputs; 0: a random number.
LayerShape RandomWeighted(Extent in, uint32_t out, std::mt19937& random) {
  LayerShape shape;
  shape.in_height = in.height;
  shape.in_width = in.width;
  shape.in_channels = in.channels;
  shape.out_channels = out != 0 ? out : RandomChannels(random);
  shape.relu = OneIn(random, 2);
  if (in.height == in.width && in.height <= 7 && OneIn(random, 5)) {
    shape.kind = LayerKind::kLinear;
    shape.kernel = in.height;
    return shape;
  }
  shape.kernel = Between(random, 1, 7);
  shape.padding = OneIn(random, 3) ? 0 : Between(random, 0, static_cast<int32_t>(shape.kernel) - 1);
  const uint32_t min_side = std::min(in.height, in.width);
  while (shape.kernel > min_side + 2 * shape.padding) {
    --shape.kernel;
    shape.padding = std::min(shape.padding, shape.kernel - 1);
  }
  shape.stride = Between(random, 1, 3);
  shape.pool = OneIn(random, 2) ? Between(random, 1, 3) : 0;
  if (shape.Pooled().Size() == 0) {
    shape.pool = 0;
  }
  return shape;
}

// Returns a layer without weights on `in`.
LayerShape WithoutWeights(LayerKind kind, Extent in, std::mt19937& random) {
  LayerShape shape;
  shape.kind = kind;
  shape.in_height = in.height;
  shape.in_width = in.width;
  shape.in_channels = shape.out_channels = in.channels;
  shape.relu = OneIn(random, 2);
  if (kind == LayerKind::kAdd && OneIn(random, 6) && std::min(in.height, in.width) >= 2) {
    shape.pool = 2;
  }
  return shape;
}

// Returns the next layer of a graph that has `layers`: an addition of the last tensor to one of its extent, if there is
// one.
LayerShape NextShape(const std::vector<LayerShape>& layers, std::mt19937& random) {
  const uint32_t last = static_cast<uint32_t>(layers.size());
  const Extent in = TensorExtent(layers, last);
  const uint32_t other = random() % (last + 1);
  if (OneIn(random, 2) && TensorExtent(layers, other) == in) {
    LayerShape shape = WithoutWeights(LayerKind::kAdd, in, random);
    shape.inputs = {last, other};
    if (OneIn(random, 2)) {
      std::swap(shape.inputs[0], shape.inputs[1]);
    }
    return shape;
  }
  LayerShape shape = OneIn(random, 8) ? WithoutWeights(LayerKind::kGlobalAveragePool, in, random)
                                      : RandomWeighted(in, OneIn(random, 2) ? in.channels : 0, random);
  if (shape.kind == LayerKind::kConv2d && OneIn(random, 2)) {  // a layer that an addition may follow
    shape.kernel = shape.stride = 1;
    shape.padding = shape.pool = 0;
    shape.out_channels = in.channels;
  }
  shape.inputs = {last};
  return shape;
}

void FillParameters(bool sums, std::mt19937& random, const IntegerNetwork& network, IntegerLayer& layer) {
  layer.zero_point = OneIn(random, 2) ? 0 : Between(random, -128, 127);
  if (layer.shape.HasWeights()) {
    FillWeighted(sums, random, layer);
  } else if (layer.shape.kind == LayerKind::kAdd) {
    FillAdd(network.ZeroPoint(layer.shape.inputs[0]), network.ZeroPoint(layer.shape.inputs[1]), random, layer);
  } else {
    const float pixels = static_cast<float>(layer.shape.in_height * layer.shape.in_width);
    layer.multiplier = {static_cast<float>(Between(random, 1, 200)) / 100.0f / pixels};
  }
}

std::vector<LayerShape> RandomShapes(std::mt19937& random) {
  const Extent in = {static_cast<uint32_t>(Between(random, 1, 9)), static_cast<uint32_t>(Between(random, 1, 9)),
                     RandomChannels(random)};
  std::vector<LayerShape> shapes = {RandomWeighted(in, 0, random)};
  shapes[0].inputs = {0};
  for (uint32_t i = random() % 5; i > 0; --i) {
    shapes.push_back(NextShape(shapes, random));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].name = "layer" + std::to_string(i);
  }
  return shapes;
}

}  // namespace

IntegerNetwork RandomIntegerNetwork(std::mt19937& random) {
  IntegerNetwork network;
  network.input_zero_point = OneIn(random, 2) ? 0 : Between(random, -128, 127);
  std::vector<LayerShape> shapes = RandomShapes(random);
  const bool sums = shapes.back().HasWeights() && OneIn(random, 4);
  if (sums) {
    shapes.back().relu = false;
    shapes.back().pool = 0;
  }
  for (LayerShape& shape : shapes) {
    IntegerLayer layer;
    layer.shape = std::move(shape);
    FillParameters(sums && &shape == &shapes.back(), random, network, layer);
    network.layers.push_back(std::move(layer));
  }
  return network;
}

IntegerNetwork RandomIntegerNetworkOf(const std::vector<LayerShape>& shapes, LastOutput last, uint32_t seed) {
  std::mt19937 random(seed);
  IntegerNetwork network;
  for (const LayerShape& shape : shapes) {
    IntegerLayer layer;
    layer.shape = shape;
    if (shape.HasWeights()) {
      FillWeights(0, random, layer);
      for (int8_t& weight : layer.weight) {
        weight = static_cast<int8_t>(Between(random, -127, 127));
      }
      for (uint32_t o = 0; o < shape.out_channels; ++o) {
        layer.bias.push_back(Between(random, -5000, 5000));
        layer.multiplier.push_back(SpreadingMultiplier(shape.Terms()));
      }
    } else if (shape.kind == LayerKind::kAdd) {
      layer.add = MakeAddFactors(0.7f, 0.6f, 0, 0, 0);
    } else {
      layer.multiplier = {1.5f / static_cast<float>(shape.in_height * shape.in_width)};
    }
    network.layers.push_back(std::move(layer));
  }
  if (last == LastOutput::kSums) {
    network.layers.back().multiplier.clear();
  }
  return network;
}

std::vector<int8_t> RandomImages(size_t size, std::mt19937& random) {
  const uint32_t kind = random() % 10;
  std::vector<int8_t> images(size);
  for (int8_t& value : images) {
    value = static_cast<int8_t>(kind == 0   ? -128
                                : kind == 1 ? 127
                                : kind == 2 ? (OneIn(random, 2) ? 127 : -128)
                                            : Between(random, -128, 127));
  }
  return images;
}

}  // namespace lockstep::testing
