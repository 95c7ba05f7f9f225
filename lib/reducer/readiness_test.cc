#include "lib/reducer/readiness.h"

#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::SizeIs;

void Sleep(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(ReadinessTest, IsCountedFromTheStartOfEachBackward) {
  Readiness readiness(2, c10::kCPU);
  for (int step = 0; step < 3; ++step) {
    Sleep(20);  // time between steps, which is not counted
    readiness.BeginStep();
    readiness.Record(1);
    Sleep(5);
    readiness.Record(0);
  }
  const std::vector<double> seconds = readiness.MedianSeconds();
  ASSERT_THAT(seconds, SizeIs(2));
  EXPECT_THAT(seconds, Each(Ge(0)));
  EXPECT_GE(seconds[0] - seconds[1], 5e-3);
}

TEST(ReadinessTest, OneSlowStepDoesNotCount) {
  Readiness readiness(1, c10::kCPU);
  for (const int milliseconds : {0, 2000, 0, 0, 0}) {
    readiness.BeginStep();
    Sleep(milliseconds);
    readiness.Record(0);
  }
  EXPECT_LT(readiness.MedianSeconds()[0], 1);
}

}  // namespace
}  // namespace lockstep
