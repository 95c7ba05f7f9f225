#include "lib/int8/requantize.h"

#include <cstdlib>
#include <limits>
#include <random>

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

// Multiplier 1/2 and odd accumulators: the value before rounding ends in .5 exactly. Rounding modes that would fail:
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

// 2^24 + 1 is not a float32 number and becomes 2^24, so that the product is the tie 126.5, which goes to 126. In real
// arithmetic the product would be 126.5000075, which goes to 127.
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

TEST(RequantizeTest, TheZeroPointIsAddedBeforeClamping) {
  EXPECT_EQ(Requantize(5, 0.5f, 100), 102);  // the tie is rounded before the addition
  EXPECT_EQ(Requantize(7, 0.5f, 100), 104);
  EXPECT_EQ(Requantize(60, 0.5f, 100), 127);
  EXPECT_EQ(Requantize(-60, 0.5f, -128), -128);
  EXPECT_EQ(Requantize(kMax, 1.0f, -128), 127);
  EXPECT_EQ(Requantize(kMin, 1.0f, 127), -128);
}

TEST(FixedPointTest, PowersOfTwoAreExact) {
  EXPECT_EQ(ToFixedPoint(0.5f).fraction, 1 << 30);
  EXPECT_EQ(ToFixedPoint(0.5f).shift, 0);
  for (int sum = -300; sum <= 300; ++sum) {
    EXPECT_EQ(RequantizeFixedPoint(sum, ToFixedPoint(1.0f)), Requantize(sum, 1.0f)) << sum;
    EXPECT_EQ(RequantizeFixedPoint(sum, ToFixedPoint(8.0f)), Requantize(sum, 8.0f)) << sum;
  }
}

TEST(FixedPointTest, TiesGoAwayFromZeroAfterTheShift) {
  const FixedPointMultiplier eighth = ToFixedPoint(0.125f);  // 2^30 shifted by 2: the product of 4 is 2, then a quarter
  EXPECT_EQ(RequantizeFixedPoint(4, eighth), 1);             // 0.5; half to even gives 0
  EXPECT_EQ(RequantizeFixedPoint(-4, eighth), -1);
  EXPECT_EQ(RequantizeFixedPoint(12, eighth), 2);  // 1.5
  EXPECT_EQ(RequantizeFixedPoint(20, eighth), 3);  // 2.5; half to even gives 2
  EXPECT_EQ(RequantizeFixedPoint(20, eighth, 10), 13);
}

// 7 * 0.0625 = 0.4375, which a single rounding takes to 0. gemmlowp rounds 3.5 to 4 first, and then 4 / 8 to 1.
TEST(FixedPointTest, RoundsTwice) {
  EXPECT_EQ(RequantizeFixedPoint(7, ToFixedPoint(0.0625f)), 1);
  EXPECT_EQ(Requantize(7, 0.0625f), 0);
}

TEST(FixedPointTest, NeverMoreThanOneApart) {
  std::mt19937 random(3);
  int different = 0;
  constexpr int kSums = 200'000;
  for (int i = 0; i < kSums; ++i) {
    const float multiplier =
        std::ldexp(1.0f + static_cast<float>(random() % 8388608) / 8388608.0f, -static_cast<int>(6 + random() % 6));
    const int32_t sum = static_cast<int32_t>(random() % 400'000) - 200'000;
    const int difference = RequantizeFixedPoint(sum, ToFixedPoint(multiplier)) - Requantize(sum, multiplier);
    ASSERT_LE(std::abs(difference), 1) << sum << " * " << multiplier;
    different += difference != 0 ? 1 : 0;
  }
  // Second roundings matter where the first one ended on a tie: about one in 2^shift.
  EXPECT_GT(different, 0);
  EXPECT_LT(different, kSums / 50);
}

TEST(FixedPointTest, ExtremesSaturate) {
  EXPECT_EQ(RequantizeFixedPoint(kMax, ToFixedPoint(1e30f)), 127);
  EXPECT_EQ(RequantizeFixedPoint(kMin, ToFixedPoint(1e30f)), -128);
  EXPECT_EQ(RequantizeFixedPoint(kMax, ToFixedPoint(1e-30f)), 0);
}

TEST(AddInt8Test, ByHand) {
  // Input steps 0.5 and 0.25, output step 0.25: 2 a + b.
  const AddFactors plain = MakeAddFactors(2, 1, 0, 0, 0);
  EXPECT_EQ(plain.offset, 128 - 2 * 128 - 128);
  EXPECT_EQ(AddInt8(10, 5, plain), 25);
  EXPECT_EQ(AddInt8(-100, 50, plain), -128);
  EXPECT_EQ(AddInt8(100, 100, plain), 127);
}

TEST(AddInt8Test, ZeroPointsOfAllThree) {
  // Each real number is value - zero point here; 3 + 4 = 7.
  const AddFactors factors = MakeAddFactors(1, 1, -128, 10, -50);
  EXPECT_EQ(AddInt8(-128 + 3, 10 + 4, factors), -50 + 7);
}

TEST(AddInt8Test, TiesGoToTheEvenNeighbour) {
  const AddFactors factors = MakeAddFactors(0.5f, 0.5f, -128, -128, -128);
  EXPECT_EQ(AddInt8(-128, -127, factors), -128);  // 0.5
  EXPECT_EQ(AddInt8(-127, -126, factors), -126);  // 1.5
}

// 1 / 3 is not a float32 number. A fused product is rounded once, with the sum; rounded twice, some pair would differ.
TEST(AddInt8Test, IsFused) {
  const AddFactors factors = MakeAddFactors(1.0f / 3, 0.7f, 0, 0, 0);
  int different = 0;
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const float once = AddAndRound(static_cast<int8_t>(a), static_cast<int8_t>(b), factors);
      // In double the products are exact, and each sum is rounded to float32 once.
      const float part = static_cast<float>(static_cast<double>(b + 128) * factors.b + factors.offset);
      const float sum = static_cast<float>(static_cast<double>(a + 128) * factors.a + part);
      different += once != std::nearbyint(sum) ? 1 : 0;
    }
  }
  EXPECT_EQ(different, 0);
}

TEST(AddFactorTest, IsTheQuotientOfTheSteps) {
  EXPECT_EQ(*AddFactor(4, 8, "add"), 2.0f);
  EXPECT_THAT(AddFactor(1e-30, 1e30, "layer1.0.add"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("layer1.0.add")));
}

TEST(PoolMultiplierTest, DividesByThePixels) {
  EXPECT_EQ(*PoolMultiplier(4, 8, 16, "pool"), 0.125f);
  EXPECT_THAT(PoolMultiplier(1e-30, 1e30, 16, "pool"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("pool")));
}

}  // namespace
}  // namespace lockstep
