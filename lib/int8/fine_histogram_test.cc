#include "lib/int8/fine_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/int8/random_values_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::ManyDistributions;
using ::lockstep::testing::NamedValues;

constexpr int kSide = FineHistogram::kBinsPerSide;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

FineHistogram HistogramOf(const std::vector<float>& values) {
  FineHistogram histogram;
  histogram.Add(values.data(), values.size());
  return histogram;
}

void ExpectSameBits(const FineHistogram& a, const FineHistogram& b, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(a.not_finite(), b.not_finite());
  EXPECT_EQ(a.zeros(), b.zeros());
  EXPECT_EQ(a.min(), b.min());
  EXPECT_EQ(a.max(), b.max());
  EXPECT_EQ(std::signbit(a.min()), std::signbit(b.min()));
  EXPECT_EQ(std::signbit(a.max()), std::signbit(b.max()));
  EXPECT_EQ(a.Sum(), b.Sum());
  EXPECT_EQ(a.SumOfSquares(), b.SumOfSquares());
  ASSERT_EQ(a.width(), b.width());
  for (int bin = -kSide; bin < kSide; ++bin) {
    ASSERT_EQ(a.Count(bin), b.Count(bin)) << "bin " << bin;
  }
}

TEST(FineHistogramTest, Empty) {
  const FineHistogram histogram;
  EXPECT_EQ(histogram.size(), 0u);
  EXPECT_TRUE(histogram.finite());
  EXPECT_EQ(histogram.MaxAbs(), 0);
  EXPECT_EQ(histogram.Mean(), 0);
  EXPECT_EQ(histogram.StandardDeviation(), 0);
  EXPECT_THAT(histogram.ToHistogram(2), EqualsProto("low: -0.5 high: 0.5 count: [0, 0]"));
}

TEST(FineHistogramTest, ByHand) {
  // 1 is bin 1024 of width 2^-10.
  const FineHistogram histogram = HistogramOf({1, -1, 0, -0.0f, 0.25f, -0.25f, 1.9990234375f});
  EXPECT_EQ(histogram.width(), 1.0 / 1024);
  EXPECT_EQ(histogram.Count(1024), 1u);
  EXPECT_EQ(histogram.Count(~1024), 1u);
  EXPECT_EQ(histogram.Count(256), 1u);
  EXPECT_EQ(histogram.Count(~256), 1u);
  EXPECT_EQ(histogram.Count(2047), 1u);
  EXPECT_EQ(histogram.Count(0), 2u);
  EXPECT_EQ(histogram.NonZeros(0), 0u);
  EXPECT_EQ(histogram.zeros(), 2u);
  EXPECT_EQ(histogram.min(), -1);
  EXPECT_EQ(histogram.max(), 1.9990234375);
}

TEST(FineHistogramTest, GrowsToPowersOfTwo) {
  EXPECT_EQ(HistogramOf({1.9999999f}).width(), 1.0 / 1024);
  EXPECT_EQ(HistogramOf({-2}).width(), 2.0 / 1024);
  EXPECT_EQ(HistogramOf({kLargest, -kLargest}).Count(2047), 1u);
  EXPECT_EQ(HistogramOf({kLargest, -kLargest}).Count(~2047), 1u);
  EXPECT_EQ(HistogramOf({1e-45f}).width(), std::ldexp(1.0, -126));
  EXPECT_EQ(HistogramOf({1e-45f, -1e-45f}).Count(-1), 1u);
}

TEST(FineHistogramTest, TinyValuesKeepTheirSide) {
  // -1e-38 times 2^-117 is not a normal float.
  const FineHistogram histogram = HistogramOf({-1e-38f, -1e-45f, 1e-45f, kLargest});
  EXPECT_EQ(histogram.Count(-1), 2u);
  EXPECT_EQ(histogram.Count(0), 1u);
}

TEST(FineHistogramTest, ValuesThatAreNotFiniteAreApart) {
  const FineHistogram histogram = HistogramOf({kNan, 1, -kNan, kInfinity, -2, -kInfinity});
  EXPECT_FALSE(histogram.finite());
  EXPECT_EQ(histogram.not_finite(), 4u);
  ExpectSameBits(
      HistogramOf({1, -2}),
      [&] {
        FineHistogram finite = HistogramOf({1});
        finite.Add(std::vector<float>{-2}.data(), 1);
        return finite;
      }(),
      "finite ones");
  EXPECT_EQ(histogram.size(), 2u);
  EXPECT_EQ(histogram.min(), -2);
  EXPECT_EQ(histogram.Sum(), -1);
  EXPECT_EQ(HistogramOf({kNan}).size(), 0u);
  EXPECT_EQ(HistogramOf({kInfinity}).max(), 0);
}

// Compares with the definition: bins by division in double, the width by trial.
TEST(FineHistogramTest, CountsAsDefined) {
  for (const NamedValues& named : ManyDistributions(40000, 1)) {
    SCOPED_TRACE(named.name);
    const FineHistogram histogram = HistogramOf(named.values);
    double max_abs = 0, sum = 0;
    for (const float value : named.values) {
      max_abs = std::max(max_abs, std::abs(double{value}));
      sum += value;
    }
    double width = std::ldexp(1.0, -126);
    while (max_abs >= kSide * width) {
      width *= 2;
    }
    ASSERT_EQ(histogram.width(), width);
    std::map<int, uint64_t> counts;
    for (const float value : named.values) {
      const int bin = static_cast<int>(std::floor(std::abs(double{value}) / width));
      ++counts[value < 0 ? -1 - bin : bin];
    }
    for (int bin = -kSide; bin < kSide; ++bin) {
      ASSERT_EQ(histogram.Count(bin), counts[bin]) << bin;
    }
    EXPECT_EQ(histogram.MaxAbs(), max_abs);
    EXPECT_EQ(histogram.min(), *std::min_element(named.values.begin(), named.values.end()));
    EXPECT_EQ(histogram.max(), *std::max_element(named.values.begin(), named.values.end()));
    EXPECT_EQ(histogram.zeros(), static_cast<uint64_t>(std::count(named.values.begin(), named.values.end(), 0.0f)));
    EXPECT_NEAR(histogram.Sum(), sum, max_abs * 40000 * 40000 * 1.2e-16);  // n roundings of at most n * max * 2^-53
  }
}

TEST(FineHistogramTest, MeanAndDeviation) {
  const FineHistogram histogram = HistogramOf({1, 3, 1, 3});
  EXPECT_EQ(histogram.Mean(), 2);
  EXPECT_EQ(histogram.StandardDeviation(), 1);
  EXPECT_EQ(histogram.ThreeSigma(), 5);
  EXPECT_EQ(HistogramOf({-0.1f, -0.1f, -0.1f}).StandardDeviation(), 0);
  EXPECT_EQ(HistogramOf({-1, -3}).ThreeSigma(), 5);
}

TEST(FineHistogramTest, TheOrderDoesNotMatter) {
  for (NamedValues& named : ManyDistributions(20001, 2)) {
    const FineHistogram as_drawn = HistogramOf(named.values);
    std::sort(named.values.begin(), named.values.end());
    ExpectSameBits(HistogramOf(named.values), as_drawn, named.name + ", rising");
    std::reverse(named.values.begin(), named.values.end());
    ExpectSameBits(HistogramOf(named.values), as_drawn, named.name + ", falling");
    // Ascending magnitudes cause the largest possible number of growths.
    std::sort(named.values.begin(), named.values.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    FineHistogram few_by_few;
    for (size_t begin = 0; begin < named.values.size(); begin += 7) {
      few_by_few.Add(&named.values[begin], std::min<size_t>(7, named.values.size() - begin));
    }
    ExpectSameBits(few_by_few, as_drawn, named.name + ", few by few");
  }
}

// The outlier comes last; all earlier values must still be counted.
TEST(FineHistogramTest, NothingIsLostWhenOneValueIsFarOutside) {
  FineHistogram histogram = HistogramOf({0.5f, -0.5f, 0.7f});
  const float outlier = 1e30f;
  histogram.Add(&outlier, 1);
  EXPECT_EQ(histogram.Count(0), 2u);
  EXPECT_EQ(histogram.Count(-1), 1u);
  EXPECT_EQ(histogram.size(), 4u);
}

TEST(FineHistogramTest, ForPlotsAsCountedDirectly) {
  for (const NamedValues& named : ManyDistributions(20000, 5)) {
    SCOPED_TRACE(named.name);
    const FineHistogram fine = HistogramOf(named.values);
    const proto::Histogram plot = fine.ToHistogram();
    proto::Histogram direct = EmptyHistogram(fine.min(), fine.max());
    AddToHistogram(named.values.data(), named.values.size(), direct);
    ASSERT_EQ(plot.count_size(), 100);
    EXPECT_EQ(plot.low(), direct.low());
    EXPECT_EQ(plot.high(), direct.high());
    uint64_t total = 0;
    for (int i = 0; i < 100; ++i) {
      total += plot.count(i);
      // Only values of the two fine bins that an edge cuts can be counted elsewhere.
      uint64_t cut = 0;
      for (const int edge : {i, i + 1}) {
        const double bin = std::floor((plot.low() + edge * (plot.high() - plot.low()) / 100) / fine.width());
        for (const double near : {bin - 1, bin}) {
          cut += near >= -kSide && near < kSide ? fine.NonZeros(static_cast<int>(near)) : 0;
        }
      }
      EXPECT_LE(std::abs(static_cast<double>(plot.count(i)) - static_cast<double>(direct.count(i))),
                static_cast<double>(cut))
          << i;
    }
    EXPECT_EQ(total, fine.size());
  }
}

TEST(FineHistogramTest, ForPlotsZerosStayTogether) {
  EXPECT_THAT(HistogramOf({0, 0, 0, 2}).ToHistogram(4), EqualsProto("low: 0 high: 2 count: [3, 0, 0, 1]"));
  EXPECT_THAT(HistogramOf({-2, 0, 2, 0}).ToHistogram(4), EqualsProto("low: -2 high: 2 count: [1, 0, 2, 1]"));
  EXPECT_THAT(HistogramOf({-2, 0}).ToHistogram(2), EqualsProto("low: -2 high: 0 count: [1, 1]"));
  EXPECT_THAT(HistogramOf({3, 3}).ToHistogram(2), EqualsProto("low: 2.5 high: 3.5 count: [0, 2]"));
  // The bin [4096, 4100) begins below the values.
  const proto::Histogram plot = HistogramOf({4096.75f, 4096.75f}).ToHistogram(2);
  EXPECT_EQ(plot.count(0), 0u);
  EXPECT_EQ(plot.count(1), 2u);
}

// Evenly spread values stay even, although 100 edges cut 1,639 fine bins.
TEST(FineHistogramTest, ForPlotsEvenValuesStayEven) {
  std::vector<float> values;
  for (int i = 0; i < 160000; ++i) {
    values.push_back(static_cast<float>(i) / 100000);
  }
  const proto::Histogram plot = HistogramOf(values).ToHistogram();
  for (const uint64_t count : plot.count()) {
    EXPECT_NEAR(static_cast<double>(count), 1600, 3);
  }
}

}  // namespace
}  // namespace lockstep
