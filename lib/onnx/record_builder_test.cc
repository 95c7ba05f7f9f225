#include "lib/onnx/record_builder.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/requantize.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Extent kImage = {32, 32, 3};

// Returns a 1 x 1 convolution with weights 1, 2 and 3 for one output.
LayerShape Conv() { return ConvShape("conv1", 0, kImage, 1, 1); }
QuantizedWeights Weights() { return {{1, 2, 3}, {0.5f}, {7}}; }

TEST(RecordBuilderTest, MakesARecordThatRuns) {
  RecordBuilder builder("net", {0.25f, 3}, kImage);
  ASSERT_THAT(builder.AddWeighted(Conv(), Weights(), {0.125f, -5}), IsOk());
  const absl::StatusOr<proto::QuantizedNetwork> record = builder.Finish();
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->input_scale(), 4);
  EXPECT_TRUE(record->has_bias());
  const proto::QuantizedLayer& layer = record->layer(0);
  EXPECT_EQ(layer.weight_scale(), 2);
  EXPECT_EQ(layer.accumulator_scale(), 8);
  EXPECT_EQ(layer.tensor_scale(), 8);
  EXPECT_EQ(layer.max_abs_weight(), 1.5);
  EXPECT_EQ(layer.accumulator_bound(), 131 * 6 + 7);
  const absl::StatusOr<IntegerNetwork> network = ToIntegerNetwork(*record);
  ASSERT_THAT(network, IsOk());
  EXPECT_THAT(network->layers[0].multiplier, ElementsAre(1.0f));
  const std::vector<int8_t> image(kImage.Size(), 4);
  EXPECT_EQ(RunInteger(*network, image.data())[0], (1 + 2 + 3) * (4 - 3) + 7 - 5);
}

// A step is converted to 1 / step in double and back to the same float, so multipliers are those of the file.
TEST(RecordBuilderTest, StepsAreKept) {
  for (float step = 1e-6f; step < 1e6f; step = std::nextafter(step * 1.01f, 1e9f)) {
    ASSERT_EQ(Step(1 / static_cast<double>(step)), step);
  }
}

TEST(RecordBuilderTest, RefusesWhatIsNoStep) {
  for (const float step : {0.0f, -1.0f, std::nanf(""), INFINITY, 1e-44f}) {
    RecordBuilder output("net", {0.25f, 0}, kImage), weights("net", {0.25f, 0}, kImage),
        input("net", {step, 0}, kImage);
    EXPECT_THAT(output.AddWeighted(Conv(), Weights(), {step, 0}),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv1: the output step")));
    QuantizedWeights wrong = Weights();
    wrong.steps = {step};
    EXPECT_THAT(weights.AddWeighted(Conv(), wrong, {1, 0}),
                StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::_));
    EXPECT_THAT(input.AddWeighted(Conv(), Weights(), {1, 0}),
                StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::_));
  }
}

TEST(RecordBuilderTest, RefusesWrongSizes) {
  QuantizedWeights few = Weights(), steps = Weights(), biases = Weights();
  few.values.pop_back();
  steps.steps = {1, 1};
  biases.bias = {1, 2};
  for (const auto& [weights, words] : {std::pair{few, "2 weights, expected 3"},
                                       {steps, "2 weight steps, expected 1"},
                                       {biases, "2 biases, expected 1"}}) {
    RecordBuilder builder("net", {1, 0}, kImage);
    EXPECT_THAT(builder.AddWeighted(Conv(), weights, {1, 0}),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(words)));
  }
}

TEST(RecordBuilderTest, RefusesSumsThatCouldOverflow) {
  RecordBuilder builder("net", {1, 0}, kImage);
  QuantizedWeights weights = Weights();
  weights.bias = {2147483647};
  ASSERT_THAT(builder.AddWeighted(Conv(), weights, {1, 0}), IsOk());
  EXPECT_THAT(builder.Finish(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv1")));
}

}  // namespace
}  // namespace lockstep
