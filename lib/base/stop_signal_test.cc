#include "lib/base/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Death tests, because the flag is never reset.
TEST(StopSignalDeathTest, TheFirstSignalOnlySetsTheFlag) {
  EXPECT_EXIT(
      {
        InstallStopSignals();
        const bool before = StopRequested();
        raise(SIGTERM);
        _exit(!before && StopSignal() == SIGTERM && absl::IsCancelled(CheckNotStopped()) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(StopSignalDeathTest, AnotherAtOnceIsTheSameStop) {
  EXPECT_EXIT(
      {
        signal(SIGINT, SIG_DFL);  // ignored if a shell started this test with `&`
        InstallStopSignals();
        raise(SIGTERM);
        raise(SIGTERM);
        raise(SIGINT);
        _exit(StopSignal() == SIGTERM ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(StopSignalDeathTest, OneThatComesLaterEndsTheProcess) {
  EXPECT_EXIT(
      {
        signal(SIGINT, SIG_DFL);
        InstallStopSignals();
        raise(SIGINT);
        absl::SleepFor(absl::Milliseconds(1100));
        raise(SIGTERM);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace lockstep
