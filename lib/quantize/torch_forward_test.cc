#include "lib/quantize/torch_forward.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/random_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kImages = 5;

// Returns every kind of layer: a strided block whose shortcut is a convolution, a plain block, max-pooling, an average,
// a linear layer over more than one pixel.
std::vector<LayerShape> SmallGraph() {
  std::vector<LayerShape> layers;
  const auto add = [&layers](LayerShape shape, bool relu) {
    shape.relu = relu;
    layers.push_back(std::move(shape));
    return static_cast<uint32_t>(layers.size());
  };
  const auto conv = [&](const char* name, uint32_t input, Extent in, uint32_t out, uint32_t kernel, uint32_t stride) {
    LayerShape shape = ConvShape(name, input, in, out, kernel);
    shape.padding = kernel / 2;
    shape.stride = stride;
    return shape;
  };
  LayerShape stem = conv("stem", 0, {12, 12, 3}, 4, 3, 1);
  stem.pool = 2;
  const uint32_t x = add(stem, true);
  const uint32_t first = add(conv("first", x, {6, 6, 4}, 6, 3, 2), true);
  const uint32_t second = add(conv("second", first, {3, 3, 6}, 6, 3, 1), false);
  const uint32_t shortcut = add(conv("shortcut", x, {6, 6, 4}, 6, 1, 2), false);
  const uint32_t sum = add(AddShape("add", second, shortcut, {3, 3, 6}), true);
  add(LinearShape("fc", sum, {3, 3, 6}, 4), true);
  layers.push_back(GlobalAveragePoolShape("pool", static_cast<uint32_t>(layers.size()), {1, 1, 4}));
  return layers;
}

// Converts RunFloat's (count, height, width, channels) to (count, channels, height, width).
std::vector<float> ChannelsFirst(const std::vector<float>& images, const Extent& in) {
  std::vector<float> result(images.size());
  for (size_t i = 0; i < images.size(); ++i) {
    const size_t channel = i % in.channels, pixel = i / in.channels % (size_t{in.height} * in.width);
    const size_t image = i / in.Size();
    result[image * in.Size() + channel * in.height * in.width + pixel] = images[i];
  }
  return result;
}

// Returns a network with weights of -1, 0 and 1, at most `terms` of them not 0 per output, and biases of -1 and 1.
FloatNetwork SmallIntegers(std::vector<LayerShape> shapes, bool bias, size_t terms) {
  std::mt19937 random(4);
  FloatNetwork network = RandomNetwork(std::move(shapes), bias ? Biases::kRandom : Biases::kNone, 4);
  for (FloatLayer& layer : network.layers) {
    layer.weight.assign(layer.weight.size(), 0.0f);
    for (size_t o = 0; layer.shape.HasWeights() && o < layer.shape.out_channels; ++o) {
      for (size_t i = 0; i < terms; ++i) {
        layer.weight[o * layer.shape.Terms() + random() % layer.shape.Terms()] = random() % 2 == 0 ? 1.0f : -1.0f;
      }
    }
    for (float& value : layer.bias) {
      value = value < 0 ? -1.0f : 1.0f;
    }
  }
  return network;
}

// Compares both implementations bit by bit and layer by layer. Bytes through a few layers of a few terms stay integers
// below 2^24, so every sum is exact in fp32 in any order.
void ExpectTheSameBits(const FloatNetwork& network) {
  const Extent in = network.layers.front().shape.In();
  std::mt19937 random(5);
  std::vector<float> images(kImages * in.Size());
  std::generate(images.begin(), images.end(), [&] { return static_cast<float>(random() % 256); });

  std::vector<std::vector<float>> before(network.layers.size()), after(network.layers.size());
  std::vector<float> expected;
  for (size_t image = 0; image < kImages; ++image) {
    const std::vector<float> logits =
        RunFloat(network, &images[image * in.Size()],
                 [&](size_t layer, const std::vector<float>& first, const std::vector<float>& second) {
                   before[layer].insert(before[layer].end(), first.begin(), first.end());
                   after[layer].insert(after[layer].end(), second.begin(), second.end());
                 });
    expected.insert(expected.end(), logits.begin(), logits.end());
  }
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0) << "logits that say nothing";

  const auto forward = TorchForward::Make(network);
  ASSERT_THAT(forward, IsOk());
  size_t seen = 0;
  const auto sorted = [](std::vector<float> values) {
    std::sort(values.begin(), values.end());
    return values;
  };
  const auto logits = (*forward)->Run(ChannelsFirst(images, in), kImages, [&](const BatchActivations& values) {
    EXPECT_EQ(values.layer, seen++);
    const std::vector<float> first(values.before, values.before + values.size);
    EXPECT_EQ(sorted(first), sorted(before[values.layer])) << network.layers[values.layer].shape.name;
    EXPECT_EQ(values.after != nullptr, network.layers[values.layer].shape.relu);
    if (values.after != nullptr) {
      EXPECT_EQ(sorted({values.after, values.after + values.size}), sorted(after[values.layer]));
    }
  });
  ASSERT_THAT(logits, IsOk());
  EXPECT_EQ(seen, network.layers.size());
  EXPECT_EQ(*logits, expected);
}

TEST(TorchForwardTest, EqualsThePlainLoopsExactlyOnSmallIntegers) {
  for (const bool bias : {false, true}) {
    ExpectTheSameBits(SmallIntegers(LeNet5Layers(), bias, 8));
    ExpectTheSameBits(SmallIntegers(SmallGraph(), bias, 5));
  }
}

// A sum of K products and a bias in fp32, in any order, is off by at most 1.01 (K + 1) u times the sum of the
// magnitudes, u = 2^-24, so two such sums differ by at most twice that. Layers are run one at a time, so that errors do
// not propagate.
TEST(TorchForwardTest, EveryLayerIsThePlainOneWithinItsRoundings) {
  const FloatNetwork network = RandomNetwork(SmallGraph(), Biases::kRandom, 6);
  std::mt19937 random(7);
  for (const FloatLayer& layer : network.layers) {
    if (!layer.shape.HasWeights()) {
      continue;
    }
    FloatNetwork alone = {"", {layer}}, magnitudes = alone;
    alone.layers[0].shape.inputs = magnitudes.layers[0].shape.inputs = {0};
    for (std::vector<float>* values : {&magnitudes.layers[0].weight, &magnitudes.layers[0].bias}) {
      std::transform(values->begin(), values->end(), values->begin(), [](float value) { return std::abs(value); });
    }
    std::vector<float> image = RandomValues(random, layer.shape.In().Size(), 2);
    const auto forward = TorchForward::Make(alone);
    ASSERT_THAT(forward, IsOk());
    const auto found = (*forward)->Run(ChannelsFirst(image, layer.shape.In()), 1);
    ASSERT_THAT(found, IsOk());
    const std::vector<float> plain = RunFloat(alone, image.data());
    std::transform(image.begin(), image.end(), image.begin(), [](float value) { return std::abs(value); });
    const std::vector<float> sums = RunFloat(magnitudes, image.data());
    const double rounding = 2 * 1.01 * static_cast<double>(layer.shape.Terms() + 1) / (1 << 24);
    const float largest = *std::max_element(sums.begin(), sums.end());
    const auto channels_last = [&](size_t i) {  // index in LibTorch's layout of the plain loops' value i
      const Extent out = layer.shape.Pooled();
      return i % out.channels * out.height * out.width + i / out.channels;
    };
    for (size_t i = 0; i < plain.size(); ++i) {
      ASSERT_NEAR((*found)[channels_last(i)], plain[i], rounding * largest) << layer.shape.name << " output " << i;
    }
  }
}

// One weight of a linear layer is rounded from 0.26 to 0.25. On images with mean 6 at its input, the output changes by
// -0.06.
TEST(TorchForwardTest, TheMeanErrorOfRoundedWeights) {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = LinearShape("fc", 0, {1, 1, 2}, 2);
  layer.weight = {0.26f, 0, 0, 127};
  network.layers = {layer};
  proto::QuantizedNetwork record;
  record.set_input_scale(1);
  proto::QuantizedLayer& quantized = *record.add_layer();
  quantized.set_weight(std::string({1, 0, 0, 127}));
  quantized.add_channel_weight_scale(4);
  quantized.add_channel_weight_scale(1);
  quantized.set_writes_sums(true);
  const auto forward = TorchForward::Make(network, record);
  ASSERT_THAT(forward, IsOk());
  const auto errors = (*forward)->MeanWeightErrors({4, 1, 8, 1}, 2);
  ASSERT_THAT(errors, IsOk());
  ASSERT_EQ((*errors)[0].size(), 2u);
  EXPECT_NEAR((*errors)[0][0], -0.06, 1e-6);
  EXPECT_EQ((*errors)[0][1], 0);
}

// Outputs of 0.26, -1.06 and 100 in steps of 0.5, clamped at 127 * 0.5.
TEST(TorchForwardTest, AMaskedLayerIsRoundedAndClamped) {
  FloatNetwork network;
  FloatLayer layer;
  layer.shape = LinearShape("fc", 0, {1, 1, 1}, 3);
  layer.weight = {0.26f, -1.5f, 100};
  network.layers = {layer};
  proto::QuantizedNetwork record;
  record.set_input_scale(1);
  proto::QuantizedLayer& quantized = *record.add_layer();
  quantized.set_weight(std::string({26, -106, 100}));
  for (const double scale : {100.0, 100.0, 1.0}) {
    quantized.add_channel_weight_scale(scale);
  }
  quantized.set_tensor_scale(2);
  const auto forward = TorchForward::Make(network, record);
  ASSERT_THAT(forward, IsOk());
  EXPECT_THAT(*(*forward)->Run({1}, 1, nullptr, {false, true}), ElementsAre(0.5f, -1.0f, 63.5f));
  EXPECT_THAT(*(*forward)->Run({1}, 1, nullptr, {false, false}), ElementsAre(0.26f, -1.5f, 100));
  EXPECT_THAT(*(*forward)->Run({1.4f}, 1, nullptr, {true, false}), ElementsAre(0.26f, -1.5f, 100));
}

TEST(TorchForwardTest, ANetworkWhoseWeightsAreMissingIsRefused) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  network.layers[2].weight.pop_back();
  EXPECT_THAT(TorchForward::Make(network), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc1.weight")));
}

}  // namespace
}  // namespace lockstep
