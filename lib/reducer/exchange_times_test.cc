#include "lib/reducer/exchange_times.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// All times are multiples of 1/8, so sums and differences are exact. The second sum waits for the end of the first, the
// third for its range.
const ExchangeStep kStep = {0.5, 3, 1.5, 0.125, {{0.5, 1.5}, {1, 2}, {3, 3.5}}};

TEST(ExchangeTimesTest, ASumBeginsWhenItsRangeIsReadyAndTheOneBeforeIsDone) {
  const StepTimes step = TimesOf(kStep, AllReduces::kSent);
  EXPECT_EQ(step.backward_seconds, 3);
  ASSERT_EQ(step.buckets.size(), 3u);
  EXPECT_EQ(step.buckets[0].begin_seconds, 0.5);
  EXPECT_EQ(step.buckets[1].ready_seconds, 1);
  EXPECT_EQ(step.buckets[1].begin_seconds, 1.5);
  EXPECT_EQ(step.buckets[2].begin_seconds, 3);
  EXPECT_EQ(BusySeconds(step), 2);
  EXPECT_EQ(ExposedSeconds(step), 0.5);
}

TEST(ExchangeTimesTest, WithoutSumsNothingIsBusyOrExposed) {
  const StepTimes step = TimesOf(kStep, AllReduces::kLeftOut);
  ASSERT_EQ(step.buckets.size(), 3u);
  EXPECT_EQ(step.buckets[2].ready_seconds, 3);
  EXPECT_EQ(BusySeconds(step), 0);
}

}  // namespace
}  // namespace lockstep
