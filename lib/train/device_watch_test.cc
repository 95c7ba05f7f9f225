#include "lib/train/device_watch.h"

#include <atomic>

#include "absl/time/clock.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

proto::DeviceState Reading(double sm, double memory, double power, const std::vector<std::string>& throttled) {
  proto::DeviceState state;
  state.set_sm_clock_mhz(sm);
  state.set_memory_clock_mhz(memory);
  state.set_power_watts(power);
  state.set_temperature_celsius(sm / 40);
  for (const std::string& reason : throttled) {
    state.add_throttle_reason(reason);
  }
  return state;
}

// The deviation is sqrt((130^2 + 70^2 + 60^2) / 2).
TEST(DeviceWatchTest, SummarizesByHand) {
  EXPECT_THAT(SummarizeReadings({Reading(1980, 3201, 500, {}), Reading(1200, 3201, 700, {"sw_power_cap"}),
                                 Reading(1800, 2600, 690, {"sw_power_cap", "hw_slowdown"})}),
              EqualsProto(R"pb(readings: 3
                               min_sm_clock_mhz: 1200
                               median_sm_clock_mhz: 1800
                               min_memory_clock_mhz: 2600
                               median_memory_clock_mhz: 3201
                               median_power_watts: 690
                               max_power_watts: 700
                               mean_power_watts: 630
                               power_deviation_watts: 112.69427669584645
                               max_temperature_celsius: 49.5
                               throttle { reason: "hw_slowdown" readings: 1 }
                               throttle { reason: "sw_power_cap" readings: 2 })pb"));
}

TEST(DeviceWatchTest, WithoutReadingsThatIsReported) {
  EXPECT_THAT(SummarizeReadings({}).absent_reason(), HasSubstr("before the first reading"));
  DeviceWatcher watcher([] { return Reading(1, 1, 1, {}); }, absl::Hours(1));
  ASSERT_THAT(watcher.Begin(), IsOk());
  watcher.End();
  EXPECT_EQ(watcher.Summary().readings(), 0);
  EXPECT_THAT(watcher.Summary().absent_reason(), HasSubstr("before the first reading"));
}

TEST(DeviceWatchTest, ReadsBetweenBeginAndEndAlone) {
  std::atomic<int> reads{0};
  DeviceWatcher watcher(
      [&] {
        ++reads;
        return Reading(1000 + reads, 1, 1, {});
      },
      absl::Milliseconds(1));
  EXPECT_EQ(reads, 1);  // the first reading, which does not count
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(reads, 1);
  for (const int wanted : {4, 8}) {  // two epochs
    ASSERT_THAT(watcher.Begin(), IsOk());
    while (reads < wanted) {
      absl::SleepFor(absl::Milliseconds(1));
    }
    watcher.End();
    const int read = reads;
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_EQ(reads, read);
    EXPECT_EQ(watcher.Summary().readings(), read - 1);
  }
  EXPECT_EQ(watcher.Summary().min_sm_clock_mhz(), 1002);
}

TEST(DeviceWatchTest, ADeviceThatCannotBeReadIsNotWatched) {
  std::atomic<int> reads{0};
  DeviceWatcher watcher(
      [&] {
        ++reads;
        proto::DeviceState state;
        state.set_absent_reason("device is a CPU");
        return state;
      },
      absl::Milliseconds(1));
  ASSERT_THAT(watcher.Begin(), IsOk());
  absl::SleepFor(absl::Milliseconds(20));
  watcher.End();
  EXPECT_EQ(reads, 1);
  EXPECT_THAT(watcher.Summary(), EqualsProto("absent_reason: 'device is a CPU'"));
}

TEST(DeviceWatchTest, EndingTwiceOrNeverIsNoHarm) {
  DeviceWatcher watcher([] { return Reading(1, 1, 1, {}); }, absl::Milliseconds(1));
  watcher.End();
  ASSERT_THAT(watcher.Begin(), IsOk());
  watcher.End();
  watcher.End();
  ASSERT_THAT(watcher.Begin(), IsOk());  // the destructor ends it
}

}  // namespace
}  // namespace lockstep
