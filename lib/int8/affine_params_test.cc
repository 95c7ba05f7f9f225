#include "lib/int8/affine_params.h"

#include <cmath>
#include <limits>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kSymmetric = QuantizationScheme::kSymmetric, kAffine = QuantizationScheme::kAffine;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

AffineParams Params(const Range& range, QuantizationScheme scheme) {
  return MakeAffineParams(range, scheme, "x").value();
}

double Quantized(double value, const AffineParams& params) {
  return std::nearbyint(value * params.scale) + params.zero_point;
}

TEST(AffineParamsTest, Symmetric) {
  EXPECT_EQ(Params({-2, 2}, kSymmetric).scale, 63.5);
  EXPECT_EQ(Params({-2, 2}, kSymmetric).zero_point, 0);
  EXPECT_EQ(Params({-0.5, 0.5}, kSymmetric).scale, 254);
  EXPECT_EQ(LevelsOf(Params({-2, 2}, kSymmetric), kSymmetric).negative, 127);
  EXPECT_EQ(LevelsOf(Params({-2, 2}, kSymmetric), kSymmetric).positive, 127);
}

TEST(AffineParamsTest, AfterReluAllLevelsArePositive) {
  const AffineParams params = Params({0, 5.1}, kAffine);
  EXPECT_DOUBLE_EQ(params.scale, 50);
  EXPECT_EQ(params.zero_point, -128);
  EXPECT_EQ(LevelsOf(params, kAffine).negative, 0);
  EXPECT_EQ(LevelsOf(params, kAffine).positive, 255);
}

TEST(AffineParamsTest, NegativeValuesAlone) {
  EXPECT_EQ(Params({-1, 0}, kAffine).zero_point, 127);
  EXPECT_EQ(LevelsOf(Params({-1, 0}, kAffine), kAffine).positive, 0);
}

TEST(AffineParamsTest, ADeadTensorGetsARangeOfOne) {
  EXPECT_EQ(Params({0, 0}, kSymmetric).scale, 127);
  EXPECT_EQ(Params({0, 0}, kAffine).scale, 255);
  EXPECT_EQ(Params({0, 0}, kAffine).zero_point, -128);
}

TEST(AffineParamsTest, ZeroIsALevelAndBothEndsAreWithinHalfAStep) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Range range = {-std::ldexp(random() / 4294967296.0, static_cast<int>(random() % 12)),
                         std::ldexp(random() / 4294967296.0, static_cast<int>(random() % 12))};
    const AffineParams params = Params(range, kAffine);
    ASSERT_GE(params.zero_point, -128);
    ASSERT_LE(params.zero_point, 127);
    EXPECT_EQ(Quantized(0, params), params.zero_point);
    for (const double end : {range.low, range.high}) {
      const double clamped = std::min(127.0, std::max(-128.0, Quantized(end, params)));
      EXPECT_NEAR((clamped - params.zero_point) / params.scale, end, 0.5000001 / params.scale);
    }
    const Levels levels = LevelsOf(params, kAffine);
    EXPECT_EQ(levels.negative + levels.positive, 255);
  }
}

TEST(AffineParamsTest, Errors) {
  const auto code = absl::StatusCode::kFailedPrecondition;
  EXPECT_THAT(MakeAffineParams({0, kInfinity}, kAffine, "conv1"),
              StatusIs(code, AllOf(HasSubstr("conv1"), HasSubstr("inf"), HasSubstr("smaller learning rate"))));
  EXPECT_THAT(MakeAffineParams({-kInfinity, kInfinity}, kSymmetric, "fc1"), StatusIs(code, HasSubstr("fc1")));
  EXPECT_THAT(MakeAffineParams({std::nan(""), 0}, kAffine, "conv1"), StatusIs(code, HasSubstr("nan")));
  EXPECT_THAT(MakeAffineParams({1, 2}, kAffine, "conv1"), StatusIs(code, HasSubstr("must hold 0")));
  EXPECT_THAT(MakeAffineParams({-2, -1}, kAffine, "conv1"), StatusIs(code, HasSubstr("must hold 0")));
  EXPECT_THAT(MakeAffineParams({-1, 2}, kSymmetric, "conv1"), StatusIs(code, HasSubstr("[-c, c]")));
  EXPECT_THAT(MakeAffineParams({-1, 2}, kAffine, "conv1"), IsOk());
}

}  // namespace
}  // namespace lockstep
