#include "lib/train/step_times.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// Values 1 ... 200: by nearest rank, the k-th percentile is 2k.
TEST(StepTimesTest, OfTwoHundredByHand) {
  std::vector<double> seconds(200);
  std::iota(seconds.rbegin(), seconds.rend(), 1.0);  // decreasing order
  const proto::StepTimes times = ToStepTimes(seconds);
  EXPECT_EQ(times.count(), 200);
  EXPECT_EQ(times.min_seconds(), 1);
  EXPECT_EQ(times.p50_seconds(), 100);
  EXPECT_EQ(times.p90_seconds(), 180);
  EXPECT_EQ(times.p95_seconds(), 190);
  EXPECT_EQ(times.p99_seconds(), 198);
  EXPECT_EQ(times.max_seconds(), 200);
  EXPECT_EQ(times.absent_reason(), "");
}

TEST(StepTimesTest, OneStepIsAllOfThem) {
  const proto::StepTimes times = ToStepTimes({0.25});
  EXPECT_EQ(times.count(), 1);
  for (const double seconds : {times.min_seconds(), times.p50_seconds(), times.p99_seconds(), times.max_seconds()}) {
    EXPECT_EQ(seconds, 0.25);
  }
}

TEST(StepTimesTest, NoneAreNoNumbers) {
  const proto::StepTimes times = ToStepTimes({});
  EXPECT_EQ(times.count(), 0);
  EXPECT_THAT(times.absent_reason(), HasSubstr("no full step"));
}

}  // namespace
}  // namespace lockstep
