#include "lib/prediction/step_curve.h"

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

// A device whose step takes exactly 2 ms plus 0.1 ms per image.
double Step(double batch) { return 0.002 + 0.0001 * batch; }

proto::Acceptance Lenient() {
  proto::Acceptance acceptance;
  acceptance.set_median_error(0.5);
  acceptance.set_worst_error(0.5);
  return acceptance;
}

OneDeviceEpoch EpochOf(uint32_t batch, uint64_t images) {
  const uint64_t tail = images % batch;
  const double seconds = static_cast<double>(images / batch) * Step(batch) + (tail > 0 ? Step(tail) : 0);
  return {batch, images, Known(seconds)};
}

// The error of the tail's share shrinks by at least half in each of thirty passes.
constexpr double kClose = 1e-8;

TEST(StepCurveTest, FindsAStraightLineBehindEpochsWithTails) {
  const auto curve =
      StepCurve::Make({EpochOf(32, 5000), EpochOf(128, 5000), EpochOf(512, 5000)}, Tail::kSmallerStep, Lenient());
  ASSERT_THAT(curve, IsOk());
  for (const double batch : {8.0, 32.0, 77.0, 128.0, 300.0, 512.0}) {
    ASSERT_THAT(curve->StepSeconds(batch), IsOk());
    EXPECT_NEAR(curve->StepSeconds(batch)->value, Step(batch), kClose) << batch;
  }
  // 2 whole steps of 512 and one of 226.
  EXPECT_NEAR(curve->EpochSeconds(1250, 512)->value, 2 * Step(512) + Step(226), kClose);
  EXPECT_NEAR(curve->TailSeconds(1250, 512)->value, Step(226), kClose);
  EXPECT_EQ(curve->TailSeconds(1024, 512)->value, 0);
  EXPECT_EQ(curve->score().points(), 1u);
  EXPECT_NEAR(curve->score().worst_error(), 0, 1e-5);
}

TEST(StepCurveTest, ScoresTheBatchesInBetween) {
  // Left out, 128 is predicted at 1 + (128-32)/(512-32) * 4 = 1.8 s; it took 2.
  const auto curve =
      StepCurve::Make({{32, 32, Known(1)}, {128, 128, Known(2)}, {512, 512, Known(5)}}, Tail::kDropped, Lenient());
  ASSERT_THAT(curve, IsOk());
  EXPECT_NEAR(curve->score().median_error(), 0.1, 1e-12);
  EXPECT_EQ(curve->score().worst_point(), "batch 128");
  EXPECT_NEAR(curve->LeftOutSeconds(128).value_or(0), 1.8, 1e-12);
  EXPECT_FALSE(curve->LeftOutSeconds(32).has_value());
  EXPECT_FALSE(curve->LeftOutSeconds(100).has_value());
}

TEST(StepCurveTest, WhatWasNotMeasuredIsLessCertain) {
  const auto curve =
      StepCurve::Make({{32, 32, Known(1)}, {128, 128, Known(2)}, {512, 512, Known(5)}}, Tail::kDropped, Lenient());
  EXPECT_EQ(curve->StepSeconds(128)->variance, 0);
  // Half way between 128 and 512: 3.5 s, 10 % of which is the interpolation's own error.
  EXPECT_NEAR(curve->StepSeconds(320)->variance, 0.35 * 0.35, 1e-12);
}

TEST(StepCurveTest, DropsTheTailWhereTheRunDid) {
  const auto curve = StepCurve::Make({{100, 250, Known(2)}}, Tail::kDropped, Lenient());
  ASSERT_THAT(curve, IsOk());
  EXPECT_DOUBLE_EQ(curve->StepSeconds(100)->value, 1);
  EXPECT_DOUBLE_EQ(curve->EpochSeconds(399, 100)->value, 3);
}

TEST(StepCurveTest, AnUnknownTailIsBetweenASmallerStepAndAWholeOne) {
  const auto curve = StepCurve::Make({{100, 1000, Known(20)}, {200, 1000, Known(15)}}, Tail::kUnknown, Lenient());
  ASSERT_THAT(curve, IsOk());  // 2 s at 100, 3 s at 200
  const auto tail = curve->TailSeconds(350, 200);
  ASSERT_THAT(tail, IsOk());
  EXPECT_NEAR(tail->value, (2.5 + 3) / 2, 1e-12);  // 150 images: 2.5 s
  EXPECT_NEAR(tail->variance, 0.5 * 0.5 / 12, 1e-12);
}

TEST(StepCurveTest, OneBatchKnowsNoOther) {
  const auto curve = StepCurve::Make({{100, 1000, Known(20)}}, Tail::kSmallerStep, Lenient());
  ASSERT_THAT(curve, IsOk());
  EXPECT_EQ(curve->StepSeconds(50).status().code(), absl::StatusCode::kOutOfRange);
  // Two steps of 2 s, and a last one of 50 images: from half a step to a whole one.
  EXPECT_DOUBLE_EQ(curve->EpochSeconds(250, 100)->value, 5.5);
  EXPECT_NEAR(curve->EpochSeconds(250, 100)->variance, 1.0 / 12, 1e-12);
}

// Left out, the batch of 128 is missed by 10 %.
TEST(StepCurveTest, ARejectedCurveKnowsItsOwnBatchesOnly) {
  proto::Acceptance strict;
  strict.set_median_error(0.05);
  strict.set_worst_error(0.5);
  const auto curve = StepCurve::Make({{32, 320, Known(10)}, {128, 1280, Known(20)}, {512, 5120, Known(50)}},
                                     Tail::kSmallerStep, strict);
  ASSERT_THAT(curve, IsOk());
  EXPECT_THAT(curve->rejected(), HasSubstr("are 10.0 % in the median"));
  EXPECT_DOUBLE_EQ(curve->StepSeconds(128)->value, 2);
  EXPECT_THAT(std::string(curve->StepSeconds(64).status().message()), HasSubstr("fails its test"));
  // A last step of 32 images takes from a quarter of 2 s to all of it, not the 1 s that was measured at batch 32.
  EXPECT_DOUBLE_EQ(curve->TailSeconds(160, 128)->value, (0.5 + 2) / 2);
}

TEST(StepCurveTest, RefusesWhatIsAboveTheLargestBatch) {
  const auto curve = StepCurve::Make({EpochOf(32, 5000), EpochOf(128, 5000)}, Tail::kSmallerStep, Lenient());
  EXPECT_THAT(std::string(curve->StepSeconds(129).status().message()), HasSubstr("the largest batch is 128"));
}

TEST(StepCurveTest, RejectsEpochsThatAreNone) {
  EXPECT_EQ(StepCurve::Make({}, Tail::kDropped, Lenient()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(StepCurve::Make({{0, 10, Known(1)}}, Tail::kDropped, Lenient()).status().message()),
              HasSubstr("batch 0"));
  EXPECT_THAT(std::string(StepCurve::Make({{64, 10, Known(1)}}, Tail::kDropped, Lenient()).status().message()),
              HasSubstr("at least one whole batch"));
  EXPECT_THAT(std::string(StepCurve::Make({{8, 10, Known(0)}}, Tail::kDropped, Lenient()).status().message()),
              HasSubstr("a time above 0"));
  EXPECT_THAT(
      std::string(
          StepCurve::Make({{8, 10, Known(1)}, {8, 10, Known(1)}}, Tail::kDropped, Lenient()).status().message()),
      HasSubstr("measured twice"));
}

}  // namespace
}  // namespace lockstep
