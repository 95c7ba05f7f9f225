#include "lib/train/energy_watch.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

// Returns a sensor that gives one reading after another.
EnergySensor Fake(std::vector<absl::StatusOr<double>> readings) {
  auto next = std::make_shared<size_t>(0);
  return {[readings, next] { return readings.at((*next)++); }, "a fake counter", 0.05, 0.1};
}

proto::DeviceWatch Power(uint32_t readings, double mean, double deviation) {
  proto::DeviceWatch watch;
  watch.set_readings(readings);
  watch.set_mean_power_watts(mean);
  watch.set_power_deviation_watts(deviation);
  return watch;
}

// 6 epochs of 2 s at 500 W: 1000 J. 5 % are 50 J. The ends lag by 0 to 0.1 s: 500 W * 0.1 s / sqrt(6 * 6) = 8.33 J.
TEST(CountedEpochJoulesTest, ByHand) {
  const proto::Quantity energy = CountedEpochJoules({6, 12, 6000}, Fake({}));
  EXPECT_DOUBLE_EQ(energy.value(), 1000);
  EXPECT_NEAR(energy.low(), 1000 - 50 - 2 * 8.3333, 1e-3);
  EXPECT_NEAR(energy.high(), 1000 + 50 + 2 * 8.3333, 1e-3);
  EXPECT_EQ(energy.provenance(), proto::MEASURED);
  EXPECT_EQ(energy.method(),
            "mean of 6 timed epochs by a fake counter; interval: error of the sensor of at most 5 %, and two standard "
            "deviations of ends that lag by up to 100 ms");
}

TEST(CountedEpochJoulesTest, AnIntervalDoesNotGoBelowZero) {
  EXPECT_EQ(CountedEpochJoules({1, 0.01, 5}, Fake({})).low(), 0);  // an epoch of a tenth of the counter's update
}

TEST(CountedEpochJoulesTest, ACounterThatStandsStillIsNoMeasurement) {
  const proto::Quantity energy = CountedEpochJoules({2, 0.02, 0}, Fake({}));
  EXPECT_FALSE(energy.has_value());
  EXPECT_EQ(energy.absent_reason(), "a fake counter has not moved in 0.02 s; it needs longer epochs");
}

TEST(CountedEpochJoulesTest, AnErrorThatIsNotDocumentedIsNotInvented) {
  EnergySensor sensor = Fake({});
  sensor.relative_error = 0;
  EXPECT_THAT(CountedEpochJoules({1, 1, 100}, sensor).method(), HasSubstr("which is not documented"));
}

// 200 W for 3 s an epoch: 600 J. 5 % are 30 J. 90 readings in 9 s are 9 independent ones: 2 * 30 W / 3 * 3 s = 60 J.
TEST(SampledEpochJoulesTest, ByHand) {
  const proto::Quantity energy = SampledEpochJoules({3, 9, 0}, Power(90, 200, 30));
  EXPECT_DOUBLE_EQ(energy.value(), 600);
  EXPECT_DOUBLE_EQ(energy.low(), 510);
  EXPECT_DOUBLE_EQ(energy.high(), 690);
  EXPECT_EQ(energy.provenance(), proto::DERIVED);
}

TEST(EnergyWatchTest, CountsBetweenBeginAndEndAlone) {
  EnergyWatch watch(Fake({1.0, 100.0, 130.0, 500.0, 550.0}));
  watch.End();  // never begun
  for (int epoch = 0; epoch < 2; ++epoch) {
    ASSERT_THAT(watch.Begin(), IsOk());
    watch.End();
  }
  EXPECT_DOUBLE_EQ(watch.EpochJoules(Power(9, 1, 0)).value(), 40);  // (30 + 50) / 2; power readings are not needed
}

TEST(EnergyWatchTest, WithoutACounterThePowerIsUsed) {
  EnergyWatch watch(Fake({absl::UnavailableError("no counter")}));
  ASSERT_THAT(watch.Begin(), IsOk());
  watch.End();
  EXPECT_THAT(watch.EpochJoules(Power(5, 100, 1)).method(), HasSubstr("5 power readings"));
  EXPECT_EQ(watch.EpochJoules({}).absent_reason(), "no counter");
}

TEST(EnergyWatchTest, ACounterThatFailsOnceIsNotUsed) {
  EnergyWatch watch(Fake({1.0, 100.0, absl::UnavailableError("the driver is gone")}));
  for (int epoch = 0; epoch < 2; ++epoch) {
    ASSERT_THAT(watch.Begin(), IsOk());
    watch.End();
  }
  EXPECT_EQ(watch.EpochJoules({}).absent_reason(), "the driver is gone");
}

TEST(EnergyWatchTest, WithoutEpochsThereIsNoEnergy) {
  EXPECT_THAT(EnergyWatch(Fake({1.0})).EpochJoules({}).absent_reason(), HasSubstr("since training resumed"));
}

}  // namespace
}  // namespace lockstep
