#include "lib/train/noise.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> OfEpochs(const std::vector<double>& seconds) {
  proto::Samples samples;
  samples.mutable_value()->Assign(seconds.begin(), seconds.end());
  return NoiseWarnings(samples, proto::Neighbours(), proto::DeviceWatch());
}

// Returns the warnings after ten seconds on four cores.
std::vector<std::string> OfNeighbours(double others_cpu_seconds, uint64_t forced_switches, uint32_t gpu_processes) {
  proto::Neighbours neighbours;
  neighbours.set_cores(4);
  neighbours.set_watched_seconds(10);
  neighbours.set_others_cpu_seconds(others_cpu_seconds);
  neighbours.set_forced_switches(forced_switches);
  neighbours.set_gpu_processes(gpu_processes);
  neighbours.set_load_average(3.5);
  return NoiseWarnings(proto::Samples(), neighbours, proto::DeviceWatch());
}

TEST(NoiseTest, EpochsThatDifferAreAWarning) {
  EXPECT_THAT(OfEpochs({}), IsEmpty());
  EXPECT_THAT(OfEpochs({1}), IsEmpty());
  EXPECT_THAT(OfEpochs({1.0, 1.1, 1.05}), IsEmpty());  // 9.5 %
  EXPECT_THAT(OfEpochs({1.2, 1.0, 1.0}), ElementsAre(AllOf(HasSubstr("differ by 20 %"), HasSubstr("1 to 1.2 s"))));
  EXPECT_THAT(OfEpochs({2.0, 1.0}), ElementsAre(HasSubstr("differ by 67 %")));
}

TEST(NoiseTest, NeighboursAreAWarningWhereTheyAreInTheWay) {
  EXPECT_THAT(OfNeighbours(0, 0, 0), IsEmpty());
  EXPECT_THAT(OfNeighbours(20, 100, 0), IsEmpty());    // other processes used cores that were free
  EXPECT_THAT(OfNeighbours(4, 100000, 0), IsEmpty());  // this process has more threads than cores
  EXPECT_THAT(OfNeighbours(20, 1000, 0),
              ElementsAre(AllOf(HasSubstr("used 50 %"), HasSubstr("100 times per second"), HasSubstr("3.5"))));
}

TEST(NoiseTest, ProcessesOnTheGpuAreAWarning) {
  EXPECT_THAT(OfNeighbours(0, 0, 1), ElementsAre("1 other process is on the GPU"));
  EXPECT_THAT(OfNeighbours(0, 0, 2), ElementsAre("2 other processes are on the GPU"));
}

TEST(NoiseTest, AGpuThatIsTooHotIsAWarning) {
  proto::DeviceWatch watch;
  watch.set_readings(5);
  watch.set_max_temperature_celsius(92);
  for (const char* reason : {"applications_clocks_setting", "sw_power_cap", "sw_thermal_slowdown"}) {
    proto::ThrottleCount& throttle = *watch.add_throttle();
    throttle.set_reason(reason);
    throttle.set_readings(4);
  }
  EXPECT_THAT(NoiseWarnings(proto::Samples(), proto::Neighbours(), watch),
              ElementsAre("the GPU was slowed down by sw_thermal_slowdown in 4 of 5 readings, at up to 92 C"));
}

}  // namespace
}  // namespace lockstep
