#include "lib/int8/quantized_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/plain_calibration_testing.h"
#include "lib/int8/plain_layers.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/random_network_testing.h"
#include "lib/int8/replay.h"
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
using ::testing::HasSubstr;

constexpr float kMean[] = {.4914f, .4822f, .4465f};
constexpr float kStd[] = {.2023f, .1994f, .2010f};
constexpr double kUnit = 1.0 / (1 << 24);  // relative rounding error of one float32 operation

// Fixture with a quantized lenet5_bias of random weights, three replay samples, and their sources.
class QuantizedRecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    network_ = Network();
    const NormalizationTable table =
        MakeNormalizationTable({kMean[0], kMean[1], kMean[2]}, {kStd[0], kStd[1], kStd[2]});
    const auto calibration = CalibratePlainly(network_, {images_, {0, 1, 2, 3}, table});
    ASSERT_THAT(calibration, IsOk());
    const auto record = QuantizeLayers(network_, *calibration, Spec());
    ASSERT_THAT(record, IsOk());
    record_ = *record;
    for (int c = 0; c < 3; ++c) {
      record_.add_mean(kMean[c]);
      record_.add_std(kStd[c]);
    }
    ASSERT_THAT(AddReplaySamples(images_, {0, 2, 3}, MakePlainRunner, record_), IsOk());
  }

  // The lab's network and settings, with int8 logits.
  virtual FloatNetwork Network() const { return RandomNetwork(LeNet5Layers(), Biases::kRandom, 1); }
  virtual proto::QuantizeSpec Spec() const {
    proto::QuantizeSpec spec;
    spec.set_weight_range(proto::MAX_ABS);
    spec.set_activation_range(proto::MIN_MAX);
    spec.set_int8_logits(true);
    return spec;
  }

  const uint8_t* Pixels(uint32_t index) const { return images_.pixels.data() + index * kImageBytes; }

  absl::Status Loaded() const { return ToIntegerNetwork(record_).status(); }

  const ImageSet images_ = SmallImageSet(proto::TRAIN, 4);
  FloatNetwork network_;
  proto::QuantizedNetwork record_;
};

TEST_F(QuantizedRecordTest, TheNetworkReadBackHasTheShapesOfTheOneWritten) {
  const auto integer = ToIntegerNetwork(record_);
  ASSERT_THAT(integer, IsOk());
  ASSERT_EQ(integer->layers.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const LayerShape &found = integer->layers[i].shape, &expected = network_.layers[i].shape;
    EXPECT_EQ(found.name, expected.name);
    EXPECT_EQ(found.kind, expected.kind);
    EXPECT_EQ(found.inputs, expected.inputs);
    EXPECT_EQ(found.In(), expected.In());
    EXPECT_EQ(found.Pooled(), expected.Pooled());
    EXPECT_EQ(found.relu, expected.relu);
  }
}

TEST_F(QuantizedRecordTest, ReplaysItsOwnSamples) { EXPECT_THAT(Replay(record_), IsOk()); }

TEST_F(QuantizedRecordTest, SurvivesBeingWrittenAndRead) {
  proto::QuantizedNetwork copy;
  ASSERT_TRUE(copy.ParseFromString(record_.SerializeAsString()));
  EXPECT_THAT(Replay(copy), IsOk());
}

// Checks each layer's real outputs, computed from the int8 inputs that the integer network gives to the layer. Per
// output,
//     |integer output / S_out - real output| <= sum|x| * 0.5 / n_w   each weight is within half a step
//                                             + 0.5 / A              so is the bias
//                                             + 0.5 / S_out          and the output
// plus the errors of float32 itself: (K + 1) * u * (|bias| + sum|w||x|) in the plain loops, and in requantization those
// of the accumulator, the multiplier (5.1 u) and the product, at most 255 * 7.2 u steps. Clamping the real output to
// the int8 range, ReLU and max-pooling never increase a difference. The first three terms are computed by running the
// layer on |x| with all weights 0.5 / n_w. For an addition or an average only the last two apply.
void ExpectEveryLayerIsTheRealOneWithinItsRoundings(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                                    const uint8_t* pixels) {
  const auto integer = ToIntegerNetwork(record);
  ASSERT_THAT(integer, IsOk());
  const auto table = ImageTableOf(record);
  ASSERT_THAT(table, IsOk());
  struct Tensor {
    std::vector<int8_t> values;
    double scale;
    int32_t zero_point;
  };
  std::vector<Tensor> tensors = {{std::vector<int8_t>(kImageBytes), record.input_scale(), record.input_zero_point()}};
  QuantizeImage(pixels, *table, tensors[0].values.data());
  const std::vector<int32_t> logits =
      RunInteger(*integer, tensors[0].values.data(), nullptr, [&](size_t i, const std::vector<int8_t>& values) {
        const proto::QuantizedLayer& layer = record.layer(static_cast<int>(i));
        tensors.push_back({values, layer.tensor_scale(), layer.zero_point()});
      });
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const proto::QuantizedLayer& layer = record.layer(static_cast<int>(i));
    const LayerShape& shape = network.layers[i].shape;
    FloatNetwork alone, bound;
    alone.layers = bound.layers = {network.layers[i]};
    const double terms = static_cast<double>(shape.HasWeights() ? shape.Terms() : shape.In().Size());
    for (size_t k = 0; k < bound.layers[0].weight.size(); ++k) {
      const double scale = WeightScaleOf(layer, k / shape.Terms());
      float& weight = bound.layers[0].weight[k];
      weight = static_cast<float>(0.5 / scale + (terms + 1) * kUnit * std::abs(weight));
    }
    for (float& bias : bound.layers[0].bias) {
      bias = static_cast<float>(0.5 / layer.accumulator_scale() + (terms + 1) * kUnit * std::abs(bias));
    }
    // RunFloat requires a network that begins with an image, so the two inputs of an addition are run one by one.
    std::vector<float> expected(shape.Pooled().Size(), 0.0f), largest_error = expected;
    for (const uint32_t input : shape.inputs) {
      const Tensor& tensor = tensors[input];
      std::vector<float> real, magnitude;
      for (const int8_t value : tensor.values) {
        real.push_back(static_cast<float>((value - tensor.zero_point) / tensor.scale));
        magnitude.push_back(std::abs(real.back()));
      }
      if (shape.kind == LayerKind::kAdd) {
        for (size_t k = 0; k < real.size(); ++k) {
          expected[k] += real[k];
        }
        continue;
      }
      alone.layers[0].shape.inputs = bound.layers[0].shape.inputs = {0};
      expected = RunFloat(alone, real.data());
      largest_error = RunFloat(bound, magnitude.data());
      if (!shape.HasWeights()) {
        std::fill(largest_error.begin(), largest_error.end(), 0.0f);
      }
    }
    if (shape.relu) {
      Relu(expected.data(), expected.size());
    }
    if (layer.writes_sums()) {
      for (size_t o = 0; o < logits.size(); ++o) {
        ASSERT_NEAR(logits[o] / layer.accumulator_scale(), expected[o],
                    largest_error[o] * (1 + (terms + 1) * kUnit) + 2 * kUnit * std::abs(expected[o]))
            << layer.name() << " sum " << o;
      }
      continue;
    }
    const Tensor& output = tensors[i + 1];
    ASSERT_EQ(output.values.size(), expected.size());
    for (size_t o = 0; o < expected.size(); ++o) {
      const double clamped = std::clamp<double>(expected[o], (-128 - output.zero_point) / output.scale,
                                                (127 - output.zero_point) / output.scale);
      const double tolerance = largest_error[o] * (1 + (terms + 1) * kUnit) + (0.5 + 255 * 7.2 * kUnit) / output.scale;
      ASSERT_NEAR((output.values[o] - output.zero_point) / output.scale, clamped, tolerance)
          << layer.name() << " output " << o;
      ASSERT_LT(tolerance, 0.25 * 127 / output.scale) << "a tolerance that says nothing";
    }
  }
}

TEST_F(QuantizedRecordTest, EveryLayerIsTheRealOneWithinItsRoundings) {
  ExpectEveryLayerIsTheRealOneWithinItsRoundings(network_, record_, Pixels(1));
}

// Fixture with a residual network: one scale per output channel, one zero point per tensor, int32 logits.
class ResidualRecordTest : public QuantizedRecordTest {
 protected:
  FloatNetwork Network() const override { return RandomNetwork(SmallResidualLayers(), Biases::kRandom, 3); }
  proto::QuantizeSpec Spec() const override {
    proto::QuantizeSpec spec = QuantizedRecordTest::Spec();
    spec.set_per_channel(true);
    spec.set_zero_points(true);
    spec.set_int8_logits(false);
    return spec;
  }

  proto::QuantizedLayer* Layer(const std::string& name) {
    for (proto::QuantizedLayer& layer : *record_.mutable_layer()) {
      if (layer.name() == name) {
        return &layer;
      }
    }
    return nullptr;
  }
};

TEST_F(ResidualRecordTest, EveryLayerIsTheRealOneWithinItsRoundings) {
  ExpectEveryLayerIsTheRealOneWithinItsRoundings(network_, record_, Pixels(1));
}

TEST_F(ResidualRecordTest, ReplaysItsSums) {
  EXPECT_THAT(Replay(record_), IsOk());
  int32_t largest = 0;
  for (const int32_t logit : record_.replay(0).expected_logit()) {
    largest = std::max(largest, std::abs(logit));
  }
  EXPECT_GT(largest, 127) << "they could be int8";
}

// The output loses one level at the top, and the next layer subtracts 1 more: the logits do not change.
TEST_F(ResidualRecordTest, AChangeThatNoLogitShowsIsFoundByItsLayersDigest) {
  Layer("block.conv1")->set_zero_point(-127);
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kAborted,
                                        HasSubstr("block.conv1 writes other values for the replayed images")));
}

TEST_F(ResidualRecordTest, RejectsAZeroPointThatIsNoInt8) {
  Layer("block.add")->set_zero_point(128);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("block.add: a zero point of 128")));
  record_.set_input_zero_point(-129);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("input zero point of -129")));
}

TEST_F(ResidualRecordTest, RejectsMissingMultipliersAndFactors) {
  Layer("block.conv1")->mutable_channel_multiplier()->RemoveLast();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("8 multipliers for 9 channels")));
  SetUp();
  Layer("block.add")->mutable_add_factor()->RemoveLast();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two positive factors")));
}

TEST_F(ResidualRecordTest, RejectsATensorThatNobodyWrote) {
  Layer("block.add")->set_input(1, 99);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("reads tensor 99")));
}

TEST_F(ResidualRecordTest, RejectsSumsInTheMiddle) {
  Layer("block.conv2")->set_writes_sums(true);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("which only a last, weighted layer")));
}

TEST_F(ResidualRecordTest, AFloatBiasLeavesTheSumsAlone) {
  const auto integer = ToIntegerNetwork(record_);
  ASSERT_THAT(integer, IsOk());
  const IntegerNetwork with_float = WithFloatBias(*integer, network_, record_);
  EXPECT_EQ(with_float.layers.back().bias, integer->layers.back().bias);
  EXPECT_TRUE(with_float.layers.back().float_bias.empty());
  for (size_t o = 0; o < integer->layers[1].bias.size(); ++o) {
    const double rounded = integer->layers[1].bias[o];
    EXPECT_NEAR(with_float.layers[1].float_bias[o], rounded, 0.5 + (std::abs(rounded) + 1) * kUnit);
  }
}

TEST_F(QuantizedRecordTest, AnImageIsDividedByTheStepFromVersion2On) {
  for (const bool version_1 : {false, true}) {
    record_.set_input_scale(1 / 3.0);
    record_.set_input_step(version_1 ? 0 : 3.0f);
    record_.set_input_zero_point(7);
    const auto table = ImageTableOf(record_), real = ImageTableOf(record_);
    ASSERT_THAT(table, IsOk());
    const NormalizationTable normalization = *NormalizationOf(record_);
    for (int byte = 0; byte < 256; ++byte) {
      const float scale = static_cast<float>(1 / 3.0), value = normalization[2][byte];
      const float rounded = std::nearbyint(version_1 ? value * scale : value / 3.0f);
      EXPECT_EQ((*table)[2][byte], static_cast<int8_t>(rounded + 7)) << byte;
    }
  }
}

TEST_F(QuantizedRecordTest, PixelsLieTogetherByChannel) {
  ImageTable table;
  for (size_t channel = 0; channel < 3; ++channel) {
    for (int byte = 0; byte < 256; ++byte) {
      table[channel][byte] = static_cast<int8_t>(channel * 10 + byte % 10);
    }
  }
  std::vector<uint8_t> pixels(kImageBytes, 0);
  pixels[kPlaneBytes] = 5;  // the second channel's first pixel
  pixels[2 * kPlaneBytes + 1] = 7;
  std::vector<int8_t> image(kImageBytes);
  QuantizeImage(pixels.data(), table, image.data());
  EXPECT_EQ(std::vector<int8_t>(image.begin(), image.begin() + 6), (std::vector<int8_t>{0, 15, 20, 0, 10, 27}));
}

TEST(WeightScaleOfTest, AChannelsOwnOrElseTheLayers) {
  proto::QuantizedLayer layer;
  layer.set_weight_scale(3);
  EXPECT_EQ(WeightScaleOf(layer, 1), 3);
  layer.add_channel_weight_scale(5);
  layer.add_channel_weight_scale(7);
  EXPECT_EQ(WeightScaleOf(layer, 0), 5);
  EXPECT_EQ(WeightScaleOf(layer, 1), 7);
}

TEST_F(QuantizedRecordTest, AFloatBiasIsTheIntegerOneBeforeRounding) {
  const auto integer = ToIntegerNetwork(record_);
  ASSERT_THAT(integer, IsOk());
  const IntegerNetwork with_float = WithFloatBias(*integer, network_, record_);
  for (size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(with_float.layers[i].bias.empty());
    ASSERT_EQ(with_float.layers[i].float_bias.size(), integer->layers[i].bias.size());
    for (size_t o = 0; o < integer->layers[i].bias.size(); ++o) {
      const double rounded = integer->layers[i].bias[o];
      // Half a unit, and the rounding to float32.
      EXPECT_NEAR(with_float.layers[i].float_bias[o], rounded, 0.5 + (std::abs(rounded) + 1) * kUnit);
    }
  }
}

TEST_F(QuantizedRecordTest, AChangedWeightShowsInTheReplay) {
  std::string& weight = *record_.mutable_layer(4)->mutable_weight();
  for (char& value : weight) {
    value = static_cast<char>(-static_cast<int8_t>(value));
  }
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kAborted,
                                        AllOf(HasSubstr("3 of 3 replayed images"), HasSubstr("test image 0, logit"))));
}

TEST_F(QuantizedRecordTest, AChangedExpectationShowsInTheReplay) {
  record_.mutable_replay(1)->set_expected_logit(9, record_.replay(1).expected_logit(9) + 1);
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kAborted,
                                        AllOf(HasSubstr("1 of 3"), HasSubstr("test image 2, logit 9: expected"))));
}

TEST_F(QuantizedRecordTest, EveryLayerHasADigestOfItsOwn) {
  std::set<std::string> digests;
  for (const proto::QuantizedLayer& layer : record_.layer()) {
    EXPECT_EQ(layer.replay_sha256().size(), 64u);
    digests.insert(layer.replay_sha256());
  }
  EXPECT_EQ(digests.size(), 5u);
}

TEST_F(QuantizedRecordTest, RejectsARecordWithoutSamples) {
  record_.clear_replay();
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no replay samples")));
}

TEST_F(QuantizedRecordTest, RejectsASampleOfAWrongSize) {
  record_.mutable_replay(0)->mutable_pixels()->pop_back();
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3071 bytes")));
}

TEST_F(QuantizedRecordTest, RejectsAWrongNumberOfExpectedLogits) {
  record_.mutable_replay(0)->add_expected_logit(1);
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("11 expected logits for 10")));
}

TEST_F(QuantizedRecordTest, RejectsMissingWeights) {
  record_.mutable_layer(1)->mutable_weight()->pop_back();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("conv2: 2399 weights")));
}

TEST_F(QuantizedRecordTest, RejectsMissingBiases) {
  record_.mutable_layer(1)->mutable_bias()->RemoveLast();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("15 biases for 16")));
}

TEST_F(QuantizedRecordTest, RejectsAWeightOfMinus128) {
  (*record_.mutable_layer(0)->mutable_weight())[3] = static_cast<char>(-128);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a weight of -128")));
}

TEST_F(QuantizedRecordTest, RejectsAMultiplierThatIsNoPositiveNumber) {
  for (const float multiplier : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    record_.mutable_layer(0)->set_multiplier(multiplier);
    EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("multiplier"))) << multiplier;
  }
}

TEST_F(QuantizedRecordTest, RefusesAnInputScaleThatNoFloatCanMultiplyWith) {
  for (const double scale : {0.0, -50.0, 1e-60, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    record_.set_input_scale(scale);
    EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("input scale"))) << scale;
  }
}

TEST_F(QuantizedRecordTest, RejectsSumsThatCouldOverflow) {
  record_.mutable_layer(0)->set_bias(0, std::numeric_limits<int32_t>::min());
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("could reach")));
}

TEST_F(QuantizedRecordTest, RejectsLayersThatDoNotFollowOneAnother) {
  record_.mutable_layer(0)->set_max_pool(0);
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("fc1: its weights read 400 values")));
}

TEST_F(QuantizedRecordTest, RejectsAnUnknownKind) {
  record_.mutable_layer(0)->set_kind("conv3d");
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("'conv3d'")));
}

TEST_F(QuantizedRecordTest, RejectsAnEmptyNetwork) {
  record_.clear_layer();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no layers")));
}

TEST_F(QuantizedRecordTest, RejectsANormalisationThatDividesByZero) {
  record_.set_std(1, 0);
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("channel 1")));
}

}  // namespace
}  // namespace lockstep
