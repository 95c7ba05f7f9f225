#include "lib/int8/accuracy.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

Prediction Of(const std::vector<int8_t>& logits) { return Predict(logits.data(), logits.size()); }

TEST(PredictTest, TheLargestLogit) {
  EXPECT_EQ(Of({-3, 7, 5}).label, 1u);
  EXPECT_FALSE(Of({-3, 7, 5}).tie);
  EXPECT_EQ(Of({-128}).label, 0u);
}

TEST(PredictTest, OfEqualLogitsTheFirst) {
  EXPECT_EQ(Of({1, 7, 7, 2}).label, 1u);
  EXPECT_TRUE(Of({1, 7, 7, 2}).tie);
}

TEST(PredictTest, ATieBelowTheLargestIsNone) {
  EXPECT_FALSE(Of({5, 5, 9, 9, 100}).tie);
  EXPECT_FALSE(Of({100, 5, 5}).tie);
}

// Probabilities of 3/4 and 1/4 against 1/2 each: 3/4 log(3/2) + 1/4 log(1/2).
TEST(ClassDivergenceTest, OfWhatIsLikelyInBoth) {
  const float shift = 300;  // added to all logits of a network: changes no probability
  const float three_to_one[] = {std::log(3.f) + shift, shift}, even[] = {-7, -7};
  EXPECT_NEAR(ClassDivergence(three_to_one, even, 2), 0.75 * std::log(1.5) + 0.25 * std::log(0.5), 1e-5);
  EXPECT_NEAR(ClassDivergence(even, three_to_one, 2), 0.5 * std::log(2 / 3.) + 0.5 * std::log(2.), 1e-5);
  EXPECT_EQ(ClassDivergence(even, even, 2), 0);
}

TEST(CountAccuracyTest, CountsRightOnesFlipsAndTies) {
  const std::vector<uint16_t> labels = {0, 1, 2, 3};
  const std::vector<Prediction> fp32 = {{0}, {1}, {0}, {0}};        // right right wrong wrong
  const std::vector<Prediction> int8 = {{0}, {5, true}, {2}, {9}};  // right wrong right wrong
  proto::AccuracyStep step = CountAccuracy(proto::INT8_WEIGHTS, int8, fp32, labels);
  // One image lost and one gained: the interval is symmetric around 0, and chance explains the difference.
  EXPECT_DOUBLE_EQ(step.difference_low(), -step.difference_high());
  EXPECT_GT(step.difference_high(), 0);
  EXPECT_EQ(step.mcnemar_p(), 1);
  step.clear_difference_low();
  step.clear_difference_high();
  step.clear_mcnemar_p();
  EXPECT_THAT(
      step, EqualsProto("stage: INT8_WEIGHTS correct: 2 images: 4 flips_to_wrong: 1 flips_to_right: 1 argmax_ties: 1"));
  EXPECT_THAT(CountAccuracy(proto::FP32_NETWORK, fp32, fp32, labels),
              EqualsProto("stage: FP32_NETWORK correct: 2 images: 4"));
}

TEST(AccuracySummaryTest, TheStepsNextToEachOther) {
  proto::QuantizedNetwork network;
  network.set_name("lenet5");
  const auto add = [&](proto::QuantizeStage stage, uint32_t correct, uint32_t wrong, uint32_t right, uint32_t ties) {
    proto::AccuracyStep& step = *network.add_step();
    step.set_stage(stage);
    step.set_correct(correct);
    step.set_images(1000);
    step.set_flips_to_wrong(wrong);
    step.set_flips_to_right(right);
    step.set_argmax_ties(ties);
  };
  add(proto::FP32_NETWORK, 541, 0, 0, 0);
  add(proto::INT8_WEIGHTS, 540, 3, 2, 0);
  add(proto::INT8_WEIGHTS_ACTIVATIONS, 531, 15, 5, 7);
  proto::AccuracyStep& absent = *network.add_step();
  absent.set_stage(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS);
  absent.set_absent_reason("the network has no bias");
  EXPECT_EQ(AccuracySummary(network),
            "lenet5 on 1000 test images: fp32 54.10 %, int8 weights 54.00 % (+2 -3), and activations 53.10 % (+5 -15), "
            "and bias - (the network has no bias); argmax ties: 7");
  add(proto::INT8_FINE_TUNED, 545, 1, 5, 0);
  EXPECT_THAT(AccuracySummary(network), ::testing::HasSubstr("has no bias), fine-tuned 54.50 % (+5 -1); argmax"));
}

}  // namespace
}  // namespace lockstep
