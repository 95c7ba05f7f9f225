#include "lib/int8/quantization_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/int8/random_values_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ManyDistributions;
using ::lockstep::testing::NamedValues;
using ::lockstep::testing::StatusIs;

constexpr auto kSymmetric = QuantizationScheme::kSymmetric, kAffine = QuantizationScheme::kAffine;

FineHistogram HistogramOf(const std::vector<float>& values) {
  FineHistogram histogram;
  histogram.Add(values.data(), values.size());
  return histogram;
}

struct Measured {
  double squared_error = 0;  // sum over all values
  double clipped_share = 0;
};

// Converts each value to int8 and back.
Measured MeasureRange(const std::vector<float>& values, const Range& range, QuantizationScheme scheme) {
  const AffineParams params = MakeAffineParams(range, scheme, "x").value();
  Measured measured;
  for (const float value : values) {
    const double level = std::nearbyint(value * params.scale) + params.zero_point;
    const double clamped = std::clamp(level, scheme == kSymmetric ? -127.0 : -128.0, 127.0);
    const double error = (clamped - params.zero_point) / params.scale - value;
    measured.squared_error += error * error;
    measured.clipped_share += clamped != level ? 1.0 / static_cast<double>(values.size()) : 0;
  }
  return measured;
}

double PowerOf(const std::vector<float>& values) {
  double power = 0;
  for (const float value : values) {
    power += double{value} * value;
  }
  return power;
}

// Returns true for distributions whose values are evenly spread over their bins, as the error model assumes.
bool IsSmooth(const std::string& name) {
  return name == "normal" || name == "laplace" || name == "half normal with zeros" || name == "negative" ||
         name == "shifted normal";
}

TEST(SideValuesTest, LevelsByHand) {
  // 1024 values in the middles of bins of width 2^-10, so evenly spread over [0, 1); the last value makes max = 1.
  std::vector<float> values;
  for (int i = 0; i < 1024; ++i) {
    values.push_back((static_cast<float>(i) + 0.5f) / 1024);
  }
  values.push_back(1);
  const SideValues side(HistogramOf(values), SideValues::Side::kPositive);
  const std::vector<double> errors = side.SquaredErrors(0.5, 2);
  // Level 0 alone: the integral of x^2, plus 1 for the last value. With level 1/2: 1/4^3 / 3 below 1/4, then the
  // integral from -1/4 to 1/2.
  EXPECT_NEAR(errors[0], 1024 / 3.0 + 1, 1e-9);
  EXPECT_NEAR(errors[1], 1024 * (1 / 192.0 + (1 / 64.0 + 1 / 8.0) / 3) + 0.25, 1e-9);
  EXPECT_NEAR(errors[2], 1024 * (4 * 1 / 64.0 / 3), 1e-9);
  EXPECT_NEAR(side.CountBeyond(0.75), 257, 1e-9);
  EXPECT_EQ(side.CountBeyond(1), 0);
  EXPECT_EQ(SideValues(HistogramOf(values), SideValues::Side::kNegative).SquaredErrors(0.5, 2)[0], 0);
}

TEST(ExpectedQualityTest, AsMeasuredOnTheValues) {
  for (const NamedValues& named : ManyDistributions(200000, 1)) {
    if (!IsSmooth(named.name)) {
      continue;
    }
    const FineHistogram histogram = HistogramOf(named.values);
    for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
      for (const double part : {1.0, 0.7, 0.3}) {
        SCOPED_TRACE(named.name + (scheme == kSymmetric ? ", symmetric " : ", affine ") + std::to_string(part));
        Range range = {part * std::min(0.0, histogram.min()), part * std::max(0.0, histogram.max())};
        if (scheme == kSymmetric) {
          range = {-part * histogram.MaxAbs(), part * histogram.MaxAbs()};
        }
        const Measured measured = MeasureRange(named.values, range, scheme);
        const RangeQuality quality = ExpectedQuality(histogram, range, scheme, "x").value();
        // 0.02 dB is 0.5 % of the error, more than the deviation for 200,000 values, sqrt(4 / 5 / 200000) = 0.2 %.
        EXPECT_NEAR(quality.snr_db, 10 * std::log10(PowerOf(named.values) / measured.squared_error), 0.02);
        EXPECT_NEAR(quality.clipped_share, measured.clipped_share, 2e-4);
      }
    }
  }
}

TEST(ExpectedQualityTest, ZerosCostNothing) {
  const RangeQuality dead = ExpectedQuality(HistogramOf({0, 0}), {0, 0}, kSymmetric, "x").value();
  EXPECT_EQ(dead.snr_db, std::numeric_limits<double>::infinity());
  EXPECT_EQ(dead.clipped_share, 0);
  EXPECT_EQ(ExpectedQuality(FineHistogram(), {0, 0}, kAffine, "x").value().clipped_share, 0);
}

TEST(ExpectedQualityTest, ARangeOfNoUseIsRefused) {
  EXPECT_THAT(ExpectedQuality(HistogramOf({1}), {0, std::nan("")}, kAffine, "conv1"),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("conv1")));
}

// Checks that no other clipping range in a grid is better, measured on the values themselves.
TEST(LeastSquaresRangeTest, NoOtherRangeIsBetter) {
  for (const NamedValues& named : ManyDistributions(4000, 2)) {
    const FineHistogram histogram = HistogramOf(named.values);
    if (!IsSmooth(named.name)) {
      continue;
    }
    for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
      SCOPED_TRACE(named.name + (scheme == kSymmetric ? ", symmetric" : ", affine"));
      const double chosen = MeasureRange(named.values, LeastSquaresRange(histogram, scheme), scheme).squared_error;
      const Range whole = {std::min(0.0, histogram.min()), std::max(0.0, histogram.max())};
      double min_error = std::numeric_limits<double>::infinity();
      for (int i = 1; i <= 30; ++i) {
        for (int k = 1; k <= 30; ++k) {
          const double c = histogram.MaxAbs() * (30 * (i - 1) + k) / 900;
          const Range range = scheme == kSymmetric ? Range{-c, c} : Range{whole.low * i / 30, whole.high * k / 30};
          min_error = std::min(min_error, MeasureRange(named.values, range, scheme).squared_error);
        }
      }
      // The least of 900 errors, each over 4,000 random values, may be below the expected error by their deviation: at
      // most 3 times sqrt(4 / 5 / 4000) = 1.4 %.
      EXPECT_LT(chosen, min_error * 1.043);
    }
  }
}

// Compares the search with a slow one under the same error model: all steps with the chosen zero point, and all zero
// points with the chosen step.
TEST(LeastSquaresRangeTest, IsTheLeastOfItsGrid) {
  for (const NamedValues& named : ManyDistributions(3000, 3)) {
    SCOPED_TRACE(named.name);
    const FineHistogram histogram = HistogramOf(named.values);
    if (histogram.MaxAbs() == 0) {
      continue;
    }
    const SideValues negative(histogram, SideValues::Side::kNegative), positive(histogram, SideValues::Side::kPositive);
    const double width = std::max(0.0, histogram.max()) - std::min(0.0, histogram.min());
    const auto error = [&](double step, int levels) {
      return negative.SquaredErrors(step, levels).back() + positive.SquaredErrors(step, 255 - levels).back();
    };
    const Range range = LeastSquaresRange(histogram, kAffine);
    const double step = (range.high - range.low) / 255;
    const auto levels = static_cast<int>(std::nearbyint(-range.low / step));
    // MakeAffineParams must map this range to the zero point that the search examined.
    EXPECT_EQ(MakeAffineParams(range, kAffine, "x").value().zero_point, levels - 128);
    double min_error = std::numeric_limits<double>::infinity();
    for (int k = 2048; k > 0; --k) {
      min_error = std::min(min_error, error(width / 255 * k / 2048, levels));
    }
    for (int other = 0; other <= 255; ++other) {
      min_error = std::min(min_error, error(step, other));
    }
    EXPECT_LE(error(step, levels), min_error * (1 + 1e-9));
  }
}

TEST(LeastSquaresRangeTest, OneValueFarOutsideIsClipped) {
  // 3,000,001 values of [-1, 1], and 4. Symmetric: 3000001 (c / 127)^2 / 12 + (4 - c)^2 falls with c down to 0.24, but
  // below 1 many values would be clipped. Affine: the same holds for 3000001 ((1 + h) / 255)^2 / 12 + (4 - h)^2.
  std::vector<float> values = {4};
  for (int i = -1500000; i <= 1500000; ++i) {
    values.push_back(static_cast<float>(i) / 1500000);
  }
  EXPECT_NEAR(LeastSquaresRange(HistogramOf(values), kSymmetric).high, 1, 0.03);
  EXPECT_NEAR(LeastSquaresRange(HistogramOf(values), kAffine).low, -1, 0.03);
  EXPECT_NEAR(LeastSquaresRange(HistogramOf(values), kAffine).high, 1, 0.03);
}

TEST(LeastSquaresRangeTest, ClipsLaplaceAndKeepsUniform) {
  std::vector<float> uniform;
  for (int i = -30000; i <= 30000; ++i) {
    uniform.push_back(static_cast<float>(i) / 10000);
  }
  EXPECT_GT(LeastSquaresRange(HistogramOf(uniform), kSymmetric).high, 2.97);
  const NamedValues laplace = ManyDistributions(100000, 4)[1];
  ASSERT_EQ(laplace.name, "laplace");
  const FineHistogram histogram = HistogramOf(laplace.values);
  // Scale 3. The least of (c / 127)^2 / 12 + 2 b^2 exp(-c / b) is at c = 9.88 b.
  EXPECT_NEAR(LeastSquaresRange(histogram, kSymmetric).high / 3, 9.88, 0.5);
}

TEST(LeastSquaresRangeTest, AfterReluNoLevelIsNegative) {
  const NamedValues relu = ManyDistributions(20000, 5)[2];
  ASSERT_EQ(relu.name, "half normal with zeros");
  EXPECT_EQ(LeastSquaresRange(HistogramOf(relu.values), kAffine).low, 0);
}

}  // namespace
}  // namespace lockstep
