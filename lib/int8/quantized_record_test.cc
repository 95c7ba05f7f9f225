#include "lib/int8/quantized_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/random_network.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kMean[] = {.4914f, .4822f, .4465f};
constexpr float kStd[] = {.2023f, .1994f, .2010f};
constexpr double kUnit = 1.0 / (1 << 24);  // relative rounding error of one float32 operation

// A quantized lenet5_bias of random weights with three replay samples, and what it was made of.
class QuantizedRecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const NormalizationTable table =
        MakeNormalizationTable({kMean[0], kMean[1], kMean[2]}, {kStd[0], kStd[1], kStd[2]});
    const auto calibration = Calibrate(network_, {images_, {0, 1, 2, 3}, table});
    ASSERT_THAT(calibration, IsOk());
    const auto record = QuantizeLayers(network_, *calibration, proto::MAX_ABS);
    ASSERT_THAT(record, IsOk());
    record_ = *record;
    for (int c = 0; c < 3; ++c) {
      record_.add_mean(kMean[c]);
      record_.add_std(kStd[c]);
    }
    const auto integer = ToIntegerNetwork(record_);
    ASSERT_THAT(integer, IsOk());
    for (const uint32_t index : {0u, 2u, 3u}) {
      ASSERT_THAT(AddReplaySample(*integer, index, Pixels(index), record_), IsOk());
    }
  }

  const uint8_t* Pixels(uint32_t index) const { return images_.pixels.data() + index * kImageBytes; }

  absl::Status Loaded() const { return ToIntegerNetwork(record_).status(); }

  const ImageSet images_ = SmallImageSet(proto::TRAIN, 4);
  const FloatNetwork network_ = RandomNetwork(LeNet5Layers(), true, 1);
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
    EXPECT_EQ(found.InputSize(), expected.InputSize());
    EXPECT_EQ(found.PooledSize(), expected.PooledSize());
    EXPECT_EQ(found.relu, expected.relu);
  }
}

TEST_F(QuantizedRecordTest, ReplaysItsOwnSamples) { EXPECT_THAT(Replay(record_), IsOk()); }

TEST_F(QuantizedRecordTest, SurvivesBeingWrittenAndRead) {
  proto::QuantizedNetwork copy;
  ASSERT_TRUE(copy.ParseFromString(record_.SerializeAsString()));
  EXPECT_THAT(Replay(copy), IsOk());
}

// Real outputs of each layer, from the int8 inputs that the integer network really gives it. Per output,
//     |integer output / S_out - real output| <= sum|x| * 0.5 / n_w   each weight is within half a step
//                                             + 0.5 / A              so is the bias
//                                             + 0.5 / S_out          and the output
// plus float32's own errors: (K + 1) * u * (|bias| + sum|w||x|) in the plain loops, and in requantization the
// accumulator, the multiplier (5.1 u) and the product, at most 128 * 7.2 u steps. Clamping the real output to the int8
// range, ReLU and max-pooling never make a difference larger. The first three terms are had by running the layer on |x|
// with all weights 0.5 / n_w.
TEST_F(QuantizedRecordTest, EveryLayerIsTheRealOneWithinItsRoundings) {
  const auto integer = ToIntegerNetwork(record_);
  ASSERT_THAT(integer, IsOk());
  const auto table = NormalizationOf(record_);
  ASSERT_THAT(table, IsOk());
  std::vector<int8_t> input = QuantizeImage(Pixels(1), *table, record_.input_scale());
  double input_scale = record_.input_scale();
  for (size_t i = 0; i < 5; ++i) {
    const proto::QuantizedLayer& layer = record_.layer(static_cast<int>(i));
    const double output_scale = layer.accumulator_scale() * layer.output_scale();
    std::vector<float> real(input.size()), magnitude(input.size());
    for (size_t k = 0; k < input.size(); ++k) {
      real[k] = static_cast<float>(input[k] / input_scale);
      magnitude[k] = std::abs(real[k]);
    }
    FloatNetwork alone, bound;
    alone.layers = bound.layers = {network_.layers[i]};
    const double terms = static_cast<double>(alone.layers[0].shape.Terms());
    for (float& weight : bound.layers[0].weight) {
      weight = static_cast<float>(0.5 / layer.weight_scale() + (terms + 1) * kUnit * std::abs(weight));
    }
    for (float& bias : bound.layers[0].bias) {
      bias = static_cast<float>(0.5 / layer.accumulator_scale() + (terms + 1) * kUnit * std::abs(bias));
    }
    const std::vector<float> expected = RunFloat(alone, real.data());
    const std::vector<float> largest_error = RunFloat(bound, magnitude.data());
    const IntegerNetwork one = {"", {integer->layers[i]}};
    const std::vector<int8_t> output = RunInteger(one, input.data());
    ASSERT_EQ(output.size(), expected.size());
    for (size_t o = 0; o < output.size(); ++o) {
      const double clamped = std::clamp<double>(expected[o], -128 / output_scale, 127 / output_scale);
      const double tolerance = largest_error[o] * (1 + (terms + 1) * kUnit) + (0.5 + 128 * 7.2 * kUnit) / output_scale;
      ASSERT_NEAR(output[o] / output_scale, clamped, tolerance) << layer.name() << " output " << o;
      ASSERT_LT(tolerance, 0.25 * 127 / output_scale) << "a tolerance that says nothing";
    }
    input = output;
    input_scale = output_scale;
  }
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
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("fc1: reads 400 values")));
}

TEST_F(QuantizedRecordTest, RejectsAnUnknownKind) {
  record_.mutable_layer(0)->set_kind("conv3d");
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("'conv3d'")));
}

TEST_F(QuantizedRecordTest, RejectsAnEmptyNetwork) {
  record_.clear_layer();
  EXPECT_THAT(Loaded(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3 x 32 x 32")));
}

TEST_F(QuantizedRecordTest, RejectsANormalisationThatDividesByZero) {
  record_.set_std(1, 0);
  EXPECT_THAT(Replay(record_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("channel 1")));
}

}  // namespace
}  // namespace lockstep
