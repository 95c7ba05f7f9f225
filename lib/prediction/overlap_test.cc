#include "lib/prediction/overlap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// 1 s plus 1 s per 10 bytes.
double Cost(double bytes) { return 1 + bytes / 10; }

TEST(OverlapTest, NoBucketsTakeNoTime) {
  EXPECT_EQ(FinishSeconds({}, Cost), 0);
  EXPECT_EQ(ExposedBySchedule({}, Cost), 0);
}

TEST(OverlapTest, BucketsThatHideLeaveTheLastOne) {
  // 10 bytes ready at 0 take until 2; 20 bytes ready at 5 take until 8.
  EXPECT_DOUBLE_EQ(FinishSeconds({{10, 0}, {20, 5}}, Cost), 8);
  EXPECT_DOUBLE_EQ(ExposedBySchedule({{10, 0}, {20, 5}}, Cost), 3);
}

TEST(OverlapTest, BucketsThatDoNotHideQueue) {
  // 100 bytes ready at 1 take until 12; 20 bytes ready at 5 wait, and take until 15.
  EXPECT_DOUBLE_EQ(FinishSeconds({{100, 1}, {20, 5}}, Cost), 15);
  EXPECT_DOUBLE_EQ(ExposedBySchedule({{100, 1}, {20, 5}}, Cost), 10);
}

TEST(RebucketTest, KeepsAllBytesInOrder) {
  // Ready evenly: 30 bytes by 3 s, then 10 bytes by 8 s, two per second.
  const std::vector<BucketLoad> buckets = Rebucket({{30, 3}, {10, 8}}, 5, 20);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_DOUBLE_EQ(buckets[0].size_bytes, 5);
  EXPECT_DOUBLE_EQ(buckets[0].ready_seconds, 0.5);
  EXPECT_DOUBLE_EQ(buckets[1].size_bytes, 20);
  EXPECT_DOUBLE_EQ(buckets[1].ready_seconds, 2.5);
  EXPECT_DOUBLE_EQ(buckets[2].size_bytes, 15);
  EXPECT_DOUBLE_EQ(buckets[2].ready_seconds, 8);
}

TEST(RebucketTest, OneBucketIsReadyWithTheLastGradient) {
  const std::vector<BucketLoad> buckets = Rebucket({{30, 3}, {10, 8}}, 100, 100);
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_DOUBLE_EQ(buckets[0].size_bytes, 40);
  EXPECT_DOUBLE_EQ(buckets[0].ready_seconds, 8);
}

TEST(RebucketTest, TheSameCapsGiveTheSameBuckets) {
  const std::vector<BucketLoad> buckets = Rebucket({{10, 3}, {20, 8}, {20, 9}}, 10, 20);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_DOUBLE_EQ(buckets[1].ready_seconds, 8);
  EXPECT_DOUBLE_EQ(buckets[2].ready_seconds, 9);
}

}  // namespace
}  // namespace lockstep
