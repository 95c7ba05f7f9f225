#include "lib/int8/quantize_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/plain_calibration_testing.h"
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
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The lab's normalisation (mean, and the per-image average of the standard deviation).
NormalizationTable LabNormalization() {
  return MakeNormalizationTable({.4914f, .4822f, .4465f}, {.2023f, .1994f, .2010f});
}

// The lab's settings: int8 logits, and ranges up to the largest magnitude.
proto::QuantizeSpec LabSpec(proto::WeightRange range = proto::MAX_ABS) {
  proto::QuantizeSpec spec;
  spec.set_weight_range(range);
  spec.set_activation_range(proto::MIN_MAX);
  spec.set_int8_logits(true);
  return spec;
}

absl::StatusOr<proto::QuantizedNetwork> Quantize(const FloatNetwork& network,
                                                 const proto::QuantizeSpec& spec = LabSpec()) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  const auto calibration = CalibratePlainly(network, {set, {0, 1, 2, 3}, LabNormalization()});
  return calibration.ok() ? QuantizeLayers(network, *calibration, spec) : calibration.status();
}

TEST(QuantizeLayersTest, OutputScalesFollowTheLabsChain) {
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(quantized, IsOk());
  double chain = quantized->input_scale();  // S_in * product of (n_w * n_out) of the layers before
  for (const proto::QuantizedLayer& layer : quantized->layer()) {
    const double n_out = 127 / (layer.output_max_abs() * chain * layer.weight_scale());
    // A dozen double operations in another order may differ by some 2^-50.
    EXPECT_NEAR(layer.output_scale(), n_out, n_out * 1e-14) << layer.name();
    EXPECT_NEAR(layer.accumulator_scale(), chain * layer.weight_scale(), layer.accumulator_scale() * 1e-14);
    EXPECT_NEAR(layer.multiplier(), n_out, n_out * 5.2 / (1 << 24)) << layer.name();  // requantize.h
    chain *= layer.weight_scale() * layer.output_scale();
  }
}

TEST(QuantizeLayersTest, TheOutputRangeIsThatOfWhatTheNextLayerReads) {
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1));
  ASSERT_THAT(quantized, IsOk());
  for (const proto::QuantizedLayer& layer : quantized->layer()) {
    if (layer.relu()) {
      EXPECT_EQ(layer.output_max_abs(), layer.activation_after_relu().high()) << layer.name();
    } else {
      const proto::Histogram& histogram = layer.activation_before_relu();
      EXPECT_EQ(layer.output_max_abs(), std::max(-histogram.low(), histogram.high())) << layer.name();
      EXPECT_FALSE(layer.has_activation_after_relu());
    }
  }
}

TEST(QuantizeLayersTest, DescribesEveryLayer) {
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1));
  ASSERT_THAT(quantized, IsOk());
  ASSERT_EQ(quantized->layer_size(), 5);
  EXPECT_TRUE(quantized->has_bias());
  const proto::QuantizedLayer& conv2 = quantized->layer(1);
  EXPECT_EQ(conv2.kind(), "conv2d");
  EXPECT_THAT(conv2.weight_shape(), ElementsAre(16, 6, 5, 5));
  EXPECT_EQ(conv2.weight().size(), 2400u);
  EXPECT_EQ(conv2.bias_size(), 16);
  EXPECT_TRUE(conv2.relu());
  EXPECT_EQ(conv2.max_pool(), 2u);
  const proto::QuantizedLayer& fc3 = quantized->layer(4);
  EXPECT_THAT(fc3.weight_shape(), ElementsAre(10, 84));
  EXPECT_FALSE(fc3.relu());
  EXPECT_EQ(fc3.max_pool(), 0u);
}

TEST(QuantizeLayersTest, BiasesAreRoundedInTheAccumulatorsScale) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const auto quantized = Quantize(network);
  ASSERT_THAT(quantized, IsOk());
  for (int i = 0; i < 5; ++i) {
    const proto::QuantizedLayer& layer = quantized->layer(i);
    for (int o = 0; o < layer.bias_size(); ++o) {
      EXPECT_LE(std::abs(layer.bias(o) - network.layers[i].bias[o] * layer.accumulator_scale()), 0.5);
    }
  }
}

TEST(QuantizeLayersTest, Int8WeightsAreWithinHalfAStepOfTheRealOnes) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const auto quantized = Quantize(network);
  ASSERT_THAT(quantized, IsOk());
  const FloatNetwork rounded = WithInt8Weights(network, *quantized);
  for (int i = 0; i < 5; ++i) {
    // Half a step, and the rounding of a quotient of at most 127 steps to float32.
    const double step = 1 / quantized->layer(i).weight_scale();
    const double tolerance = step * (0.5 + 127.0 / (1 << 24));
    for (size_t k = 0; k < network.layers[i].weight.size(); ++k) {
      ASSERT_NEAR(rounded.layers[i].weight[k], network.layers[i].weight[k], tolerance);
    }
    EXPECT_EQ(rounded.layers[i].bias, network.layers[i].bias);
  }
}

TEST(QuantizeLayersTest, UnscaledWeightsAreTheIntegersThemselves) {
  const FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  const auto quantized = Quantize(network);
  ASSERT_THAT(quantized, IsOk());
  const FloatNetwork unscaled = WithUnscaledInt8Weights(network, *quantized);
  for (int i = 0; i < 5; ++i) {
    for (size_t k = 0; k < network.layers[i].weight.size(); ++k) {
      ASSERT_EQ(unscaled.layers[i].weight[k], static_cast<int8_t>(quantized->layer(i).weight()[k]));
    }
    EXPECT_EQ(unscaled.layers[i].bias, network.layers[i].bias);
  }
}

TEST(QuantizeLayersTest, ThreeSigmaOfUniformWeightsIsTheirMaximum) {
  // Three sigma of uniform weights is sqrt(3) times the largest weight, so nothing saturates.
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kNone, 1), LabSpec(proto::THREE_SIGMA));
  ASSERT_THAT(quantized, IsOk());
  for (const proto::QuantizedLayer& layer : quantized->layer()) {
    EXPECT_EQ(layer.weight_saturated_fraction(), 0) << layer.name();
    EXPECT_GT(layer.weight_three_sigma(), layer.max_abs_weight());
  }
}

TEST(QuantizeLayersTest, ThreeSigmaSaturatesAnOutlier) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  network.layers[3].weight[7] = -5;
  const auto quantized = Quantize(network, LabSpec(proto::THREE_SIGMA));
  ASSERT_THAT(quantized, IsOk());
  EXPECT_EQ(quantized->layer(3).weight_saturated_fraction(), 1.0 / 10'080);
  EXPECT_EQ(static_cast<int8_t>(quantized->layer(3).weight()[7]), -127);
}

TEST(QuantizeLayersTest, ALayerOfZerosStaysZeroAndTheRestGoesOn) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  network.layers[2].weight.assign(network.layers[2].weight.size(), 0.0f);
  const auto quantized = Quantize(network);
  ASSERT_THAT(quantized, IsOk());
  EXPECT_EQ(quantized->layer(2).weight(), std::string(48'000, '\0'));
  EXPECT_EQ(quantized->layer(2).weight_scale(), 1);
  for (const proto::QuantizedLayer& layer : quantized->layer()) {
    EXPECT_TRUE(std::isnormal(layer.multiplier())) << layer.name();
  }
}

TEST(QuantizeLayersTest, RejectsNanWeights) {
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kNone, 1);
  const ImageSet set = SmallImageSet(proto::TRAIN, 1);
  const auto calibration = CalibratePlainly(network, {set, {0}, LabNormalization()});
  ASSERT_THAT(calibration, IsOk());
  network.layers[1].weight[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(QuantizeLayers(network, *calibration, LabSpec()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv2.weight: value 3 is nan")));
}

TEST(QuantizeLayersTest, RejectsABiasThatInt32CannotHold) {
  // n_w = 127e9, times S_in of some 48: a bias of 1 becomes about 6e12.
  FloatNetwork network = RandomNetwork(LeNet5Layers(), Biases::kRandom, 1);
  for (float& weight : network.layers[0].weight) {
    weight *= 1e-9f;
  }
  network.layers[0].bias[2] = 1;
  EXPECT_THAT(Quantize(network), StatusIs(absl::StatusCode::kFailedPrecondition,
                                          AllOf(HasSubstr("conv1.bias"), HasSubstr("int32 ends at 2147483647"))));
}

TEST(QuantizeLayersTest, LogitsAreSumsUnlessInt8IsAskedFor) {
  proto::QuantizeSpec spec = LabSpec();
  spec.set_int8_logits(false);
  spec.set_per_channel(true);
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1), spec);
  ASSERT_THAT(quantized, IsOk());
  for (int i = 0; i < 5; ++i) {
    const proto::QuantizedLayer& layer = quantized->layer(i);
    EXPECT_EQ(layer.writes_sums(), i == 4);
    EXPECT_EQ(layer.tensor_scale() == 0, i == 4);
    EXPECT_EQ(layer.multiplier(), 0);
    // Sums are compared with each other, so they have one scale.
    EXPECT_EQ(static_cast<uint32_t>(layer.channel_weight_scale_size()), i == 4 ? 0 : layer.weight_shape(0));
    EXPECT_EQ(layer.channel_multiplier_size(), layer.channel_weight_scale_size());
  }
}

TEST(QuantizeLayersTest, AZeroPointGivesReluAllOfInt8) {
  proto::QuantizeSpec spec = LabSpec();
  spec.set_zero_points(true);
  const auto quantized = Quantize(RandomNetwork(LeNet5Layers(), Biases::kRandom, 1), spec);
  ASSERT_THAT(quantized, IsOk());
  for (int i = 0; i < 4; ++i) {
    const proto::QuantizedLayer& layer = quantized->layer(i);
    EXPECT_EQ(layer.zero_point(), -128) << layer.name();
    EXPECT_EQ(layer.tensor_scale(), 255 / layer.output_max_abs()) << layer.name();
  }
  // Logits of both signs.
  EXPECT_GT(quantized->layer(4).zero_point(), -128);
  EXPECT_LT(quantized->layer(4).zero_point(), 127);
}

TEST(QuantizeLayersTest, AResidualNetworkHasAScaleForEachTensor) {
  const auto quantized = Quantize(RandomNetwork(SmallResidualLayers(), Biases::kRandom, 2));
  ASSERT_THAT(quantized, IsOk());
  const auto find = [&](const std::string& name) {
    return *std::find_if(quantized->layer().begin(), quantized->layer().end(),
                         [&](const proto::QuantizedLayer& layer) { return layer.name() == name; });
  };
  const proto::QuantizedLayer add = find("block.add"), pool = find("pool");
  EXPECT_EQ(add.kind(), "add");
  EXPECT_TRUE(add.weight().empty());
  ASSERT_EQ(add.add_factor_size(), 2);
  // Each factor is the input's step divided by the output's step.
  EXPECT_FLOAT_EQ(add.add_factor(0), static_cast<float>(add.tensor_scale() / find("block.conv2").tensor_scale()));
  EXPECT_FLOAT_EQ(add.add_factor(1), static_cast<float>(add.tensor_scale() / find("block.shortcut").tensor_scale()));
  EXPECT_EQ(pool.kind(), "global_average_pool");
  EXPECT_FLOAT_EQ(pool.multiplier(), static_cast<float>(pool.output_scale()));
  EXPECT_FLOAT_EQ(pool.multiplier(), static_cast<float>(pool.tensor_scale() / add.tensor_scale() / 64));
}

}  // namespace
}  // namespace lockstep
