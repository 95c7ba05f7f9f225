#include "lib/int8/histogram.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

proto::Histogram Count(const std::vector<float>& values, double low, double high, uint32_t bins) {
  proto::Histogram histogram = EmptyHistogram(low, high, bins);
  AddToHistogram(values.data(), values.size(), histogram);
  return histogram;
}

TEST(HistogramTest, NoValues) { EXPECT_THAT(Count({}, -1, 1, 2), EqualsProto("low: -1 high: 1 count: [0, 0]")); }

TEST(HistogramTest, ABinHoldsItsLowEdgeAndTheLastOneBothEdges) {
  EXPECT_THAT(Count({-1, -0.5f, 0, 0.5f, 1}, -1, 1, 4), EqualsProto("low: -1 high: 1 count: [1, 1, 1, 2]"));
}

TEST(HistogramTest, ValuesOutsideAreKeptApart) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Count({-2, 0, 3, infinity, -infinity}, -1, 1, 1),
              EqualsProto("low: -1 high: 1 count: [1] below: 2 above: 2"));
}

TEST(HistogramTest, AddsUpOverCalls) {
  proto::Histogram histogram = Count({0.25f}, 0, 1, 2);
  const std::vector<float> more = {0.75f, 0.75f, 2};
  AddToHistogram(more.data(), more.size(), histogram);
  EXPECT_THAT(histogram, EqualsProto("low: 0 high: 1 count: [1, 2] above: 1"));
}

TEST(HistogramTest, OneValueGetsAWidthOfOne) {
  EXPECT_THAT(Count({3, 3}, 3, 3, 2), EqualsProto("low: 2.5 high: 3.5 count: [0, 2]"));
}

}  // namespace
}  // namespace lockstep
