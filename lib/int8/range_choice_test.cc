#include "lib/int8/range_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/entropy_range.h"
#include "lib/int8/quantization_error.h"
#include "lib/int8/random_values_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ManyDistributions;
using ::lockstep::testing::NamedValues;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kSymmetric = QuantizationScheme::kSymmetric, kAffine = QuantizationScheme::kAffine;

constexpr proto::RangeMethod kRangeMethods[] = {proto::MIN_MAX, proto::PERCENTILE, proto::MSE, proto::ENTROPY};

FineHistogram HistogramOf(const std::vector<float>& values) {
  FineHistogram histogram;
  histogram.Add(values.data(), values.size());
  return histogram;
}

Range Choose(const FineHistogram& histogram, proto::RangeMethod method, QuantizationScheme scheme,
             double percentile = 99.9) {
  return ChooseRange(histogram, method, percentile, scheme, "x").value();
}

// Properties of every method and distribution.
TEST(ChooseRangeTest, RangesAreUsable) {
  for (const NamedValues& named : ManyDistributions(20000, 1)) {
    const FineHistogram histogram = HistogramOf(named.values);
    for (const proto::RangeMethod method : kRangeMethods) {
      for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
        SCOPED_TRACE(named.name + (scheme == kSymmetric ? " symmetric " : " affine ") +
                     proto::RangeMethod_Name(method));
        const Range range = Choose(histogram, method, scheme);
        EXPECT_THAT(MakeAffineParams(range, scheme, "x"), IsOk());
        EXPECT_GT(range.high - range.low, 0);
        if (histogram.MaxAbs() > 0) {
          EXPECT_LE(range.high, histogram.MaxAbs());
          EXPECT_GE(range.low, -histogram.MaxAbs());
        }
        if (scheme == kSymmetric) {
          EXPECT_EQ(range.low, -range.high);
        } else if (histogram.min() == 0 && histogram.max() > 0) {
          EXPECT_EQ(range.low, 0);  // after ReLU no level is spent on negative values
        }
      }
    }
  }
}

// Checks that no other method has a smaller expected squared error than MSE.
TEST(ChooseRangeTest, MseHasTheLeastExpectedError) {
  for (const NamedValues& named : ManyDistributions(20000, 2)) {
    const FineHistogram histogram = HistogramOf(named.values);
    for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
      const auto snr = [&](proto::RangeMethod method) {
        return ExpectedQuality(histogram, Choose(histogram, method, scheme), scheme, "x").value().snr_db;
      };
      for (const proto::RangeMethod method : kRangeMethods) {
        // Other methods do not choose among the 2,048 steps of MSE; their choice may lie up to 1 / 2048 from such a
        // step.
        EXPECT_GE(snr(proto::MSE), snr(method) - 0.02)
            << named.name << proto::RangeMethod_Name(method) << (scheme == kSymmetric);
      }
    }
  }
}

TEST(ChooseRangeTest, MinMaxIsExact) {
  EXPECT_EQ(Choose(HistogramOf({-1.1f, 0.3f}), proto::MIN_MAX, kSymmetric).high, 1.1f);
  EXPECT_EQ(Choose(HistogramOf({-1.1f, 0.3f}), proto::MIN_MAX, kAffine).low, -1.1f);
  EXPECT_EQ(Choose(HistogramOf({-1.1f, 0.3f}), proto::MIN_MAX, kAffine).high, 0.3f);
  EXPECT_EQ(Choose(HistogramOf({2, 3}), proto::MIN_MAX, kAffine).low, 0);
  EXPECT_EQ(Choose(HistogramOf({-3, -2}), proto::MIN_MAX, kAffine).high, 0);
}

TEST(ChooseRangeTest, ADeadTensorGetsARangeOfOne) {
  for (const proto::RangeMethod method : kRangeMethods) {
    for (const FineHistogram& dead : {HistogramOf({0, -0.0f, 0}), FineHistogram()}) {
      EXPECT_EQ(Choose(dead, method, kSymmetric).low, -1);
      EXPECT_EQ(Choose(dead, method, kSymmetric).high, 1);
      EXPECT_EQ(Choose(dead, method, kAffine).low, 0);
      EXPECT_EQ(Choose(dead, method, kAffine).high, 1);
    }
  }
}

// Returns the k-th smallest value, where all but floor(share * n) values are at or below it.
double SortedQuantile(std::vector<double> values, double percent_outside) {
  std::sort(values.begin(), values.end());
  const auto outside =
      static_cast<size_t>(std::floor(static_cast<double>(values.size()) * percent_outside / 100 + 1e-6));
  return values[values.size() - 1 - std::min(outside, values.size() - 1)];
}

// Checks one end of a range: at least the exact end, and less than one bin above it; 0 if the exact end has the other
// sign.
void ExpectEnd(double end, double exact, double width) {
  EXPECT_GE(end, std::max(0.0, exact));
  EXPECT_LE(end, std::max(0.0, exact) + (exact > 0 ? width : 0));
}

TEST(ChooseRangeTest, PercentilesAreAsSorted) {
  for (const NamedValues& named : ManyDistributions(20000, 3)) {
    const FineHistogram histogram = HistogramOf(named.values);
    std::vector<double> up(named.values.begin(), named.values.end()), down, magnitudes;
    for (const double value : up) {
      down.push_back(-value);
      magnitudes.push_back(std::abs(value));
    }
    const bool one_sided = histogram.min() >= 0 || histogram.max() <= 0;
    for (const double percentile : {100.0, 99.99, 99.9, 99.0, 60.0}) {
      SCOPED_TRACE(named.name + " " + std::to_string(percentile));
      const double outside = 100 - percentile, each = outside / (one_sided ? 1 : 2);
      const double c = SortedQuantile(magnitudes, outside);
      const double low = SortedQuantile(down, each), high = SortedQuantile(up, each);
      if (c > 0) {
        ExpectEnd(Choose(histogram, proto::PERCENTILE, kSymmetric, percentile).high, c, histogram.width());
      }
      if (low > 0 || high > 0) {
        const Range range = Choose(histogram, proto::PERCENTILE, kAffine, percentile);
        ExpectEnd(-range.low, low, histogram.width());
        ExpectEnd(range.high, high, histogram.width());
      }
    }
  }
}

TEST(ChooseRangeTest, AHundredPercentAreAllValues) {
  for (const NamedValues& named : ManyDistributions(5000, 4)) {
    const FineHistogram histogram = HistogramOf(named.values);
    for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
      EXPECT_EQ(Choose(histogram, proto::PERCENTILE, scheme, 100).high, Choose(histogram, proto::MIN_MAX, scheme).high);
    }
  }
}

TEST(ChooseRangeTest, OneOfAThousandIsOutside) {
  std::vector<float> values(999, 1);
  values.push_back(1000);
  EXPECT_LT(Choose(HistogramOf(values), proto::PERCENTILE, kSymmetric, 99.9).high, 2);
  EXPECT_EQ(Choose(HistogramOf(values), proto::PERCENTILE, kSymmetric, 99.91).high, 1000);
}

TEST(ChooseRangeTest, APercentileOfZeroIsNoRange) {
  std::vector<float> values(1000, 0);
  values.push_back(3);
  EXPECT_EQ(Choose(HistogramOf(values), proto::PERCENTILE, kSymmetric, 99).high, 3);
  EXPECT_EQ(Choose(HistogramOf(values), proto::PERCENTILE, kAffine, 99).high, 3);
}

TEST(ChooseRangeTest, EntropyClipsTheTailOfLaplace) {
  const NamedValues laplace = ManyDistributions(200000, 5)[1];
  ASSERT_EQ(laplace.name, "laplace");
  const FineHistogram histogram = HistogramOf(laplace.values);
  EXPECT_LT(Choose(histogram, proto::ENTROPY, kSymmetric).high, 0.95 * histogram.MaxAbs());
  EXPECT_GT(Choose(histogram, proto::ENTROPY, kSymmetric).high, 3 * histogram.StandardDeviation());
}

// After ReLU there are 256 levels for positive values; in a symmetric range 128.
TEST(ChooseRangeTest, EntropyCountsTheLevelsThatThereAre) {
  const NamedValues relu = ManyDistributions(200000, 1)[2];
  ASSERT_EQ(relu.name, "half normal with zeros");
  const FineHistogram histogram = HistogramOf(relu.values);
  std::vector<uint64_t> counts;
  for (int bin = 0; bin <= histogram.max() / histogram.width(); ++bin) {
    counts.push_back(histogram.NonZeros(bin));
  }
  const auto threshold = [&](int levels) {
    return std::min(static_cast<double>(MinDivergenceBins(counts, levels)) * histogram.width(), histogram.max());
  };
  ASSERT_NE(threshold(128), threshold(256));
  EXPECT_EQ(Choose(histogram, proto::ENTROPY, kSymmetric).high, threshold(128));
  EXPECT_EQ(Choose(histogram, proto::ENTROPY, kAffine).high, threshold(256));
}

// No value is near 0. The published algorithm alone would keep only the first occupied bin.
TEST(ChooseRangeTest, EntropyKeepsMostValues) {
  for (const NamedValues& named : ManyDistributions(20000, 7)) {
    const FineHistogram histogram = HistogramOf(named.values);
    for (const QuantizationScheme scheme : {kSymmetric, kAffine}) {
      const Range range = Choose(histogram, proto::ENTROPY, scheme);
      EXPECT_LT(ExpectedQuality(histogram, range, scheme, "x").value().clipped_share, 0.1) << named.name;
    }
  }
}

// Zeros of ReLU must not move the threshold.
TEST(ChooseRangeTest, EntropyDoesNotSeeZeros) {
  NamedValues relu = ManyDistributions(50000, 6)[2];
  ASSERT_EQ(relu.name, "half normal with zeros");
  const Range range = Choose(HistogramOf(relu.values), proto::ENTROPY, kAffine);
  relu.values.resize(relu.values.size() + 1000000, 0.0f);
  EXPECT_EQ(Choose(HistogramOf(relu.values), proto::ENTROPY, kAffine).high, range.high);
}

TEST(ChooseRangeTest, Errors) {
  const FineHistogram broken = HistogramOf({1, std::numeric_limits<float>::quiet_NaN(), 2});
  for (const proto::RangeMethod method : kRangeMethods) {
    EXPECT_THAT(ChooseRange(broken, method, 99.9, kSymmetric, "conv1"),
                StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("conv1"), HasSubstr("1 of 3 values"))));
  }
  for (const double percentile : {0.0, -1.0, 100.1, std::nan("")}) {
    EXPECT_THAT(ChooseRange(HistogramOf({1}), proto::PERCENTILE, percentile, kSymmetric, "conv1"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(0, 100]")));
    EXPECT_THAT(ChooseRange(HistogramOf({1}), proto::MSE, percentile, kSymmetric, "conv1"), IsOk());
  }
  EXPECT_THAT(ChooseRange(HistogramOf({1}), proto::RANGE_METHOD_UNSPECIFIED, 99.9, kSymmetric, "conv1"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("unknown range method")));
}

}  // namespace
}  // namespace lockstep
