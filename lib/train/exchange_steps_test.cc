#include "lib/train/exchange_steps.h"

#include "lib/fused/step_timestamps.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kSecondsPerNanosecond = 1e-9;

// Two steps: three ranges, the last of which ends 600 ns after backward; then a shorter batch with two ranges, which
// end before backward.
const std::vector<uint64_t> kTimestamps = {
    1000, 1100, 2000, 4000, 4100, 4800,  // backward from 2000 to 4100
    5000, 5100, 5500, 6000, 6100, 6150,  // backward from 5500 to 6100
};
std::vector<uint64_t> Ranges() {
  std::vector<uint64_t> ranges(2 * kExchangeTimestamps);
  const std::vector<uint64_t> first = {2500, 2900, 3500, 4200, 4100, 4700};
  const std::vector<uint64_t> tail = {5600, 5700, 5900, 6050};
  std::copy(first.begin(), first.end(), ranges.begin());
  std::copy(tail.begin(), tail.end(), ranges.begin() + kExchangeTimestamps);
  return ranges;
}

TEST(ExchangeStepsTest, TimesByHand) {
  const auto steps = ToExchangeSteps(kTimestamps, Ranges());
  ASSERT_THAT(steps, IsOk());
  ASSERT_THAT(*steps, SizeIs(2));
  const ExchangeStep& first = (*steps)[0];
  EXPECT_DOUBLE_EQ(first.forward_seconds, 1000 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.backward_seconds, 2100 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.update_seconds, 700 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.between_seconds, 200 * kSecondsPerNanosecond);
  ASSERT_THAT(first.ranges, SizeIs(3));
  EXPECT_DOUBLE_EQ(first.ranges[1].ready_seconds, 1500 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.ranges[2].summed_seconds, 2700 * kSecondsPerNanosecond);
  EXPECT_THAT((*steps)[1].ranges, SizeIs(2));
  EXPECT_EQ((*steps)[1].between_seconds, 0);
}

// The second batch is made from 4300 to 4400, during the first step's last sum. The step waits from 4400 on.
TEST(ExchangeStepsTest, ABatchMadeDuringSumsHidesThemAsBackwardDoes) {
  std::vector<uint64_t> timestamps = kTimestamps;
  timestamps[kStepTimestamps] = 4300;
  timestamps[kStepTimestamps + 1] = 4400;
  const auto steps = ToExchangeSteps(timestamps, Ranges());
  ASSERT_THAT(steps, IsOk());
  const ExchangeStep& first = (*steps)[0];
  EXPECT_DOUBLE_EQ(first.forward_seconds, 1000 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.backward_seconds, 2400 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ(first.update_seconds, 400 * kSecondsPerNanosecond);
  EXPECT_EQ(first.between_seconds, 0);
  EXPECT_DOUBLE_EQ(first.ranges[2].summed_seconds, 2700 * kSecondsPerNanosecond);
  EXPECT_DOUBLE_EQ((*steps)[1].forward_seconds, 700 * kSecondsPerNanosecond);
}

TEST(ExchangeStepsTest, ThereAreNoneWithoutAnExchange) {
  const auto steps = ToExchangeSteps(kTimestamps, std::vector<uint64_t>(2 * kExchangeTimestamps));
  ASSERT_THAT(steps, IsOk());
  EXPECT_THAT(*steps, IsEmpty());
}

TEST(ExchangeStepsTest, RefusesAClockThatRunsBackwards) {
  const std::vector<std::pair<size_t, uint64_t>> faults = {
      {0, 1999},  // ready before backward began
      {1, 2499},  // summed before it was ready
      {5, 4150},  // summed before the previous range
      {5, 4801},  // after the end of the update
      {3, 0},     // not recorded
  };
  for (const auto& [place, nanoseconds] : faults) {
    std::vector<uint64_t> ranges = Ranges();
    ranges[place] = nanoseconds;
    EXPECT_THAT(ToExchangeSteps(kTimestamps, ranges), StatusIs(absl::StatusCode::kInternal, HasSubstr("step 0, range")))
        << place;
  }
}

TEST(ExchangeStepsTest, RefusesWhatIsNoWholeTable) {
  EXPECT_THAT(ToExchangeSteps({1, 2, 3}, {}), StatusIs(absl::StatusCode::kInternal, HasSubstr("3 timestamps")));
  EXPECT_THAT(ToExchangeSteps(kTimestamps, {1}), StatusIs(absl::StatusCode::kInternal, HasSubstr("1 timestamps")));
}

}  // namespace
}  // namespace lockstep
