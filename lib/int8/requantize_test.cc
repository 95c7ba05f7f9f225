#include "lib/int8/requantize.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

TEST(RequantizeTest, ExactProducts) {
  EXPECT_EQ(Requantize(0, 0.5f), 0);
  EXPECT_EQ(Requantize(100, 0.5f), 50);
  EXPECT_EQ(Requantize(-100, 0.5f), -50);
  EXPECT_EQ(Requantize(100, 0.625f), 62);  // 62.5 is a tie, see below
  EXPECT_EQ(Requantize(-40, 3.0f), -120);
}

// Multiplier 1/2 and odd accumulators: the value before rounding ends in .5 exactly. What each can tell apart:
TEST(RequantizeTest, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(Requantize(1, 0.5f), 0);    // 0.5: half up and half away from zero give 1
  EXPECT_EQ(Requantize(3, 0.5f), 2);    // 1.5: truncation and half down give 1
  EXPECT_EQ(Requantize(5, 0.5f), 2);    // 2.5: half up and half away from zero give 3
  EXPECT_EQ(Requantize(-1, 0.5f), 0);   // -0.5: half away from zero and half down give -1
  EXPECT_EQ(Requantize(-3, 0.5f), -2);  // -1.5: half up gives -1
  EXPECT_EQ(Requantize(-5, 0.5f), -2);  // -2.5: half away from zero and half down give -3
}

TEST(RequantizeTest, NextToATieIsNoTie) {
  const float multiplier = 1.0f / (1 << 24);
  EXPECT_EQ(Requantize((1 << 23) + 1, multiplier), 1);  // 0.5 + 2^-24, a float32 number
  EXPECT_EQ(Requantize(1 << 23, multiplier), 0);        // 0.5: the tie itself
  EXPECT_EQ(Requantize((1 << 23) - 1, multiplier), 0);
}

TEST(RequantizeTest, SaturatesAtBothEnds) {
  EXPECT_EQ(Requantize(127, 1.0f), 127);
  EXPECT_EQ(Requantize(128, 1.0f), 127);
  EXPECT_EQ(Requantize(-128, 1.0f), -128);
  EXPECT_EQ(Requantize(-129, 1.0f), -128);
  EXPECT_EQ(Requantize(255, 0.5f), 127);    // 127.5 rounds to 128, then clamps
  EXPECT_EQ(Requantize(-257, 0.5f), -128);  // -128.5 rounds to -128
  EXPECT_EQ(Requantize(kMax, 1.0f), 127);
  EXPECT_EQ(Requantize(kMin, 1.0f), -128);
  EXPECT_EQ(Requantize(kMax, std::numeric_limits<float>::max()), 127);  // the product is infinite
}

// 2^24 + 1 is no float32 and becomes 2^24, so that the product is the tie 126.5, which goes to 126. In real arithmetic
// it would be 126.5000075, which goes to 127.
TEST(RequantizeTest, TheAccumulatorIsRoundedToFloat32First) {
  const float multiplier = 126.5f / (1 << 24);
  EXPECT_EQ(Requantize((1 << 24) + 1, multiplier), 126);
}

TEST(RequantizeMultiplierTest, PowersOfTwoAreExact) {
  const auto multiplier = RequantizeMultiplier(64, 256, 32, "fc");
  ASSERT_THAT(multiplier, IsOk());
  EXPECT_EQ(*multiplier, 1.0f / 512);  // 32 / (64 * 256)
}

TEST(RequantizeMultiplierTest, IsTheQuotientWithinItsFiveRoundings) {
  for (const double weight_scale : {3.0, 17.3, 1234.567, 0.01}) {
    const double exact = 41.7 / (55.3 * weight_scale);
    const auto multiplier = RequantizeMultiplier(55.3, weight_scale, 41.7, "fc");
    ASSERT_THAT(multiplier, IsOk());
    EXPECT_NEAR(*multiplier, exact, exact * 5.1 / (1 << 24));
  }
}

TEST(RequantizeMultiplierTest, RejectsWhatFloat32CannotHold) {
  EXPECT_THAT(RequantizeMultiplier(1e30, 1e30, 1, "fc1"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fc1")));
  EXPECT_THAT(RequantizeMultiplier(1e-30, 1, 1e30, "fc1"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("inf")));
}

}  // namespace
}  // namespace lockstep
