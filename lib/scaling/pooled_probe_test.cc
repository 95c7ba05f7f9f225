#include "lib/scaling/pooled_probe.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::ScalePoint Point(uint32_t ranks, uint64_t size_bytes, const std::vector<double>& seconds) {
  proto::ScalePoint point;
  point.set_ranks(ranks);
  point.mutable_probe()->set_size_bytes(size_bytes);
  point.mutable_probe()->mutable_seconds()->mutable_value()->Add(seconds.begin(), seconds.end());
  return point;
}

std::vector<const proto::ScalePoint*> PointersTo(const std::vector<proto::ScalePoint>& points) {
  std::vector<const proto::ScalePoint*> pointers;
  for (const proto::ScalePoint& point : points) {
    pointers.push_back(&point);
  }
  return pointers;
}

// The first point's probe was disturbed: with that probe alone the link would be half as fast.
TEST(PooledProbeTest, OneDisturbedPointDoesNotStandForTheLink) {
  std::vector<proto::ScalePoint> points = {Point(2, 1000, {2e-6, 2e-6}), Point(2, 1000, {1e-6, 1.1e-6}),
                                           Point(2, 1000, {1.1e-6, 1e-6}), Point(4, 1000, {9e-6}), Point(1, 1000, {})};
  const PooledProbe pooled = PoolProbes(PointersTo(points), 2);
  EXPECT_EQ(pooled.points, 3u);
  EXPECT_THAT(pooled.seconds.value(), ElementsAre(1e-6, 1e-6, 1.1e-6, 1.1e-6, 2e-6, 2e-6));
  const proto::Quantity link = BusBandwidthOf(pooled, 2);
  EXPECT_DOUBLE_EQ(link.value(), 1000 / 1.1e-6);  // 2(N-1)/N = 1
  EXPECT_DOUBLE_EQ(link.low(), 1000 / 2e-6);
  EXPECT_DOUBLE_EQ(link.high(), 1000 / 1e-6);
  EXPECT_THAT(link.method(), AllOf(HasSubstr("the median of 6 operations at 3 points"), HasSubstr("10th to 90th")));

  std::reverse(points.begin(), points.end());
  EXPECT_EQ(BusBandwidthOf(PoolProbes(PointersTo(points), 2), 2).SerializeAsString(), link.SerializeAsString());
}

TEST(PooledProbeTest, OneSizeAlone) {
  const std::vector<proto::ScalePoint> points = {Point(2, 8, {1}), Point(2, 4000, {2}), Point(2, 4000, {3})};
  const PooledProbe pooled = PoolProbes(PointersTo(points), 2);
  EXPECT_EQ(pooled.size_bytes, 4000u);
  EXPECT_THAT(pooled.seconds.value(), ElementsAre(2, 3));
}

TEST(PooledProbeTest, WhatWasNotTimedIsAbsent) {
  EXPECT_THAT(BusBandwidthOf(PoolProbes({}, 2), 2).absent_reason(), HasSubstr("was timed alone"));
  const std::vector<proto::ScalePoint> zero = {Point(2, 8, {0, 1})};
  EXPECT_THAT(BusBandwidthOf(PoolProbes(PointersTo(zero), 2), 2).absent_reason(), HasSubstr("not positive"));
  const std::vector<proto::ScalePoint> once = {Point(4, 8, {2})};
  const proto::Quantity link = BusBandwidthOf(PoolProbes(PointersTo(once), 4), 4);
  EXPECT_DOUBLE_EQ(link.value(), 6);  // 8 / 2 * 2 * 3 / 4
  EXPECT_FALSE(link.has_low());
}

}  // namespace
}  // namespace lockstep
