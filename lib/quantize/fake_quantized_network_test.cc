#include "lib/quantize/fake_quantized_network.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/plain_calibration_testing.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/random_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::CalibratePlainly;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::SmallResidualLayers;
using ::testing::ElementsAre;

constexpr uint32_t kImages = 20;  // images, of which the first half is for calibration

const c10::Device kCpu(c10::kCPU);

proto::QuantizeSpec PlainSpec() {
  proto::QuantizeSpec spec;
  spec.set_weight_range(proto::MAX_ABS);
  spec.set_activation_range(proto::MIN_MAX);
  return spec;
}

// Returns the int8 network's final outputs, image by image.
std::vector<int32_t> IntegerLogits(const proto::QuantizedNetwork& record, const ImageSet& set) {
  const absl::StatusOr<IntegerNetwork> network = ToIntegerNetwork(record);
  const absl::StatusOr<ImageTable> table = ImageTableOf(record);
  EXPECT_THAT(network, IsOk());
  EXPECT_THAT(table, IsOk());
  std::vector<int32_t> all;
  for (size_t i = 0; i < set.size(); ++i) {
    std::vector<int8_t> image(kImageBytes);
    QuantizeImage(set.pixels.data() + i * kImageBytes, *table, image.data());
    const std::vector<int32_t> logits = RunInteger(*network, image.data());
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

// Number of final outputs that differ between the forward pass of training and the integers, and the number compared.
struct Differences {
  size_t different = 0;
  size_t values = 0;
};

Differences CountDifferences(const FloatNetwork& network, const proto::QuantizeSpec& spec) {
  const ImageSet set = SmallImageSet(proto::TRAIN, kImages);
  const NormalizationTable normalization = MakeNormalizationTable({0.5f, 0.4f, 0.3f}, {0.2f, 0.25f, 0.3f});
  ImageSelection some = {set, {}, normalization};
  std::vector<float> images;
  for (uint32_t i = 0; i < kImages; ++i) {
    const std::vector<float> image = NormalizedImage(set, i, normalization);
    images.insert(images.end(), image.begin(), image.end());
    if (i < kImages / 2) {
      some.indices.push_back(i);
    }
  }
  const absl::StatusOr<Calibration> calibration = CalibratePlainly(network, some);
  EXPECT_THAT(calibration, IsOk());
  absl::StatusOr<proto::QuantizedNetwork> record = QuantizeLayers(network, *calibration, spec);
  EXPECT_THAT(record, IsOk());
  record->mutable_mean()->Add(0.5f), record->mutable_mean()->Add(0.4f), record->mutable_mean()->Add(0.3f);
  record->mutable_std()->Add(0.2f), record->mutable_std()->Add(0.25f), record->mutable_std()->Add(0.3f);

  const FakeQuantizedNetwork fake(network, *record, spec, kCpu);
  const at::Tensor found = fake.Run(at::from_blob(images.data(), {kImages, 3, 32, 32})).integers.contiguous();
  const std::vector<int32_t> expected = IntegerLogits(*record, set);
  Differences differences = {0, expected.size()};
  EXPECT_EQ(static_cast<size_t>(found.numel()), expected.size());
  const Extent out = network.layers.back().shape.Pooled();
  for (size_t i = 0; i < expected.size(); ++i) {  // (images, height, width, channels); LibTorch's channels come first
    const size_t image = i / out.Size(), pixel = i % out.Size() / out.channels, channel = i % out.channels;
    const size_t place = image * out.Size() + channel * out.height * out.width + pixel;
    differences.different += found.const_data_ptr<float>()[place] != static_cast<float>(expected[i]) ? 1 : 0;
  }
  return differences;
}

// Returns a network of random weights; in each layer, one weight lies beyond three standard deviations.
FloatNetwork WithOutliers(const std::vector<LayerShape>& layers, bool bias) {
  FloatNetwork network = RandomNetwork(layers, bias ? Biases::kRandom : Biases::kNone, 3);
  for (FloatLayer& layer : network.layers) {
    if (layer.shape.HasWeights()) {
      layer.weight[0] = -4 * std::abs(layer.weight[0]) - 0.5f;
    }
  }
  return network;
}

// Returns all combinations of the choices of scales.
std::vector<proto::QuantizeSpec> AllSpecs() {
  std::vector<proto::QuantizeSpec> specs;
  for (int choice = 0; choice < 16; ++choice) {
    proto::QuantizeSpec spec = PlainSpec();
    spec.set_per_channel((choice & 1) != 0);
    spec.set_zero_points((choice & 2) != 0);
    spec.set_int8_logits((choice & 4) != 0);
    spec.set_weight_range((choice & 8) != 0 ? proto::THREE_SIGMA : proto::MAX_ABS);
    specs.push_back(spec);
  }
  return specs;
}

TEST(FakeQuantizedNetworkTest, ForwardGivesTheIntegersOfTheRecordBitForBit) {
  size_t logits = 0;
  for (const bool bias : {false, true}) {
    for (const auto& layers : {LeNet5Layers(), SmallResidualLayers()}) {
      for (const proto::QuantizeSpec& spec : AllSpecs()) {
        const Differences found = CountDifferences(WithOutliers(layers, bias), spec);
        EXPECT_EQ(found.different, 0u) << (bias ? "bias, " : "no bias, ") << spec.ShortDebugString();
        logits += found.values;
      }
    }
  }
  EXPECT_EQ(logits, 2 * 2 * 16 * kImages * 10);
}

// Networks that end after each of their layers, so that no later layer hides a difference.
TEST(FakeQuantizedNetworkTest, EveryLayerWritesTheIntegersOfTheRecord) {
  size_t values = 0;
  for (const auto& layers : {LeNet5Layers(), SmallResidualLayers()}) {
    const FloatNetwork whole = WithOutliers(layers, true);
    for (size_t count = 1; count <= layers.size(); ++count) {
      FloatNetwork network = whole;
      network.layers.resize(count);
      for (const proto::QuantizeSpec& spec : AllSpecs()) {
        const Differences found = CountDifferences(network, spec);
        EXPECT_EQ(found.different, 0u) << network.layers.back().shape.name << ": " << spec.ShortDebugString();
        values += found.values;
      }
    }
  }
  EXPECT_GT(values, 1'000'000u);
}

// A channel of zeros, a channel whose weights are tiny compared with its bias, and a layer of zeros.
TEST(FakeQuantizedNetworkTest, ZerosAndTinyWeightsHaveTheScalesOfTheRecord) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 3);
  proto::QuantizeSpec spec = PlainSpec();
  spec.set_per_channel(true);
  for (size_t k = 0; k < 75; ++k) {
    network.layers[0].weight[k] = 0;            // channel 0 of conv1
    network.layers[0].weight[75 + k] *= 1e-9f;  // channel 1
  }
  EXPECT_EQ(CountDifferences(network, spec).different, 0u);
  network.layers[3].weight.assign(network.layers[3].weight.size(), 0);
  EXPECT_EQ(CountDifferences(network, spec).different, 0u);
}

// Returns the record of one linear layer with two inputs in steps of 0.1; its outputs, unless they are sums, have steps
// of 0.05.
proto::QuantizedNetwork SmallRecord(bool writes_sums) {
  proto::QuantizedNetwork record;
  record.set_input_scale(10);
  proto::QuantizedLayer& layer = *record.add_layer();
  layer.set_writes_sums(writes_sums);
  layer.set_tensor_scale(writes_sums ? 0 : 20);
  return record;
}

FloatNetwork SmallNetwork(bool relu, std::vector<float> weight, std::vector<float> bias = {}) {
  FloatLayer layer;
  layer.shape = LinearShape("fc", 0, {1, 1, 2}, static_cast<uint32_t>(weight.size() / 2));
  layer.shape.relu = relu;
  layer.weight = std::move(weight);
  layer.bias = std::move(bias);
  return {"fc", {layer}};
}

std::vector<float> Values(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  return {dense.const_data_ptr<float>(), dense.const_data_ptr<float>() + dense.numel()};
}

// Inputs of 0.52 and -1.99 are 5 and -20 steps of 0.1; weights of 1 and 0.252 are 127 and 32 steps of 1 / 127.
TEST(FakeQuantizedNetworkTest, GradientsAreThoseOfTheRoundedNumbers) {
  const FakeQuantizedNetwork network(SmallNetwork(false, {1, 0.252f}, {0.1f}), SmallRecord(true), PlainSpec(), kCpu);
  const QuantizedOutput output = network.Run(at::tensor({0.52f, -1.99f}).reshape({1, 2, 1, 1}));
  EXPECT_THAT(Values(output.integers), ElementsAre(5 * 127 - 20 * 32 + 127));
  EXPECT_FLOAT_EQ(Values(output.logits)[0], 0.5f - 2 * 32 / 127.0f + 0.1f);
  output.logits.sum().backward();
  const std::vector<float> gradient = Values(network.Parameters()[0].grad());
  EXPECT_FLOAT_EQ(gradient[0], 0.5f);  // the rounded input
  EXPECT_FLOAT_EQ(gradient[1], -2);
  EXPECT_FLOAT_EQ(Values(network.Parameters()[1].grad())[0], 1);
}

// Outputs of 3, 20 and -3, where int8 in steps of 0.05 ends at 6.35 and ReLU begins at 0.
TEST(FakeQuantizedNetworkTest, WhatIsClampedPassesNoGradient) {
  const FloatNetwork source = SmallNetwork(true, {3, 0, 20, 0, -3, 0});
  const FakeQuantizedNetwork network(source, SmallRecord(false), PlainSpec(), kCpu);
  const QuantizedOutput output = network.Run(at::tensor({1.0f, 0.0f}).reshape({1, 2, 1, 1}));
  EXPECT_THAT(Values(output.integers), ElementsAre(60, 127, 0));
  output.logits.sum().backward();
  const std::vector<float> gradient = Values(network.Parameters()[0].grad());
  EXPECT_FLOAT_EQ(gradient[0], 1);
  EXPECT_EQ(gradient[2], 0);
  EXPECT_EQ(gradient[4], 0);
}

TEST(FakeQuantizedNetworkTest, WeightsBeyondTheRangePassNoGradient) {
  proto::QuantizeSpec spec = PlainSpec();
  spec.set_weight_range(proto::THREE_SIGMA);
  std::vector<float> weight(100, 0.001f);
  weight[0] = 1;  // |mean| + 3 standard deviations are 0.31
  const FakeQuantizedNetwork network(SmallNetwork(false, weight), SmallRecord(true), spec, kCpu);
  network.Run(at::tensor({1.0f, 1.0f}).reshape({1, 2, 1, 1})).logits.sum().backward();
  const std::vector<float> gradient = Values(network.Parameters()[0].grad());
  EXPECT_EQ(gradient[0], 0);
  EXPECT_FLOAT_EQ(gradient[1], 1);
}

TEST(FakeQuantizedNetworkTest, TheNetworkComesBackAsItWas) {
  const FloatNetwork source = RandomNetwork(SmallResidualLayers(), Biases::kRandom, 4);
  proto::QuantizedNetwork record;
  for (size_t i = 0; i < source.layers.size(); ++i) {
    record.add_layer();
  }
  const FloatNetwork back = FakeQuantizedNetwork(source, record, PlainSpec(), kCpu).Network();
  ASSERT_EQ(back.layers.size(), source.layers.size());
  for (size_t i = 0; i < source.layers.size(); ++i) {
    EXPECT_EQ(back.layers[i].weight, source.layers[i].weight);
    EXPECT_EQ(back.layers[i].bias, source.layers[i].bias);
  }
}

}  // namespace
}  // namespace lockstep
