#include "lib/reducer/overlap_timing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::IsEmpty;

// All times are multiples of 1/8, so sums and differences are exact.

TEST(ExposedSecondsTest, IsWhatComesAfterBackward) {
  EXPECT_EQ(ExposedSeconds({1.0, {{0.25, 0.25, 0.5}, {1.0, 1.0, 1.5}}}), 0.5);
}

TEST(ExposedSecondsTest, IsNegativeWhenAllWasDoneBefore) {
  EXPECT_EQ(ExposedSeconds({1.0, {{0.25, 0.25, 0.5}, {0.5, 0.5, 0.875}}}), -0.125);
}

TEST(ExposedSecondsTest, AnEarlierBucketMayEndLast) {
  EXPECT_EQ(ExposedSeconds({1.0, {{0.25, 0.25, 2.0}, {1.0, 1.0, 1.5}}}), 1.0);
}

TEST(ExposedSecondsTest, NothingReducedNothingExposed) { EXPECT_EQ(ExposedSeconds({1.0, {}}), 0.0); }

TEST(BusySecondsTest, AddsSeparateIntervals) { EXPECT_EQ(BusySeconds({1.0, {{0, 0.25, 0.5}, {0, 1.0, 1.5}}}), 0.75); }

TEST(BusySecondsTest, CountsAnOverlapOnce) { EXPECT_EQ(BusySeconds({1.0, {{0, 0.25, 1.0}, {0, 0.5, 1.5}}}), 1.25); }

TEST(BusySecondsTest, CountsAnIntervalWithinAnotherNotAtAll) {
  EXPECT_EQ(BusySeconds({1.0, {{0, 0.25, 2.0}, {0, 0.5, 1.0}, {0, 1.5, 1.75}}}), 1.75);
}

TEST(BusySecondsTest, TakesIntervalsInAnyOrder) {
  EXPECT_EQ(BusySeconds({1.0, {{0, 1.0, 1.5}, {0, 0.25, 0.5}}}), 0.75);
}

TEST(BusySecondsTest, IsZeroWithoutBuckets) { EXPECT_EQ(BusySeconds({1.0, {}}), 0.0); }

TEST(SummaryOfTest, HasNothingExposedOrBusyWhereNothingWasSent) {
  const StepTimes step = {1.0, {{0.25, 0.25, 0.5}, {1.0, 1.0, 1.5}}};
  EXPECT_EQ(SummaryOf(step, AllReduces::kSent).backward_seconds, 1);
  EXPECT_EQ(SummaryOf(step, AllReduces::kSent).exposed_seconds, 0.5);
  EXPECT_EQ(SummaryOf(step, AllReduces::kSent).busy_seconds, 0.75);
  EXPECT_EQ(SummaryOf(step, AllReduces::kLeftOut).backward_seconds, 1);
  EXPECT_EQ(SummaryOf(step, AllReduces::kLeftOut).exposed_seconds, 0);
  EXPECT_EQ(SummaryOf(step, AllReduces::kLeftOut).busy_seconds, 0);
}

TEST(MeanBucketTimesTest, NoStepsNoBuckets) { EXPECT_THAT(MeanBucketTimes({}), IsEmpty()); }

TEST(MeanBucketTimesTest, StepsWithAnotherPlanAreLeftOut) {
  const std::vector<BucketTimes> mean = MeanBucketTimes({{1.0, {{9, 9, 9}}}, {1.0, {{1, 2, 3}, {4, 5, 6}}}});
  ASSERT_EQ(mean.size(), 2u);
  EXPECT_EQ(mean[0].ready_seconds, 1);
  EXPECT_EQ(mean[1].end_seconds, 6);
}

TEST(MeanBucketTimesTest, IsTakenBucketByBucket) {
  const std::vector<BucketTimes> mean =
      MeanBucketTimes({{1.0, {{0.25, 0.5, 1.0}, {1, 2, 3}}}, {1.0, {{0.75, 1.0, 2.0}, {3, 4, 5}}}});
  ASSERT_EQ(mean.size(), 2u);
  EXPECT_EQ(mean[0].ready_seconds, 0.5);
  EXPECT_EQ(mean[0].begin_seconds, 0.75);
  EXPECT_EQ(mean[0].end_seconds, 1.5);
  EXPECT_EQ(mean[1].end_seconds, 4.0);
}

}  // namespace
}  // namespace lockstep
