#include "lib/train/busy_cores.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/train/neighbour_watch.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string TextOf(double busy_cores, uint32_t threads) {
  proto::Neighbours neighbours;
  neighbours.set_cores(4);
  neighbours.set_watched_seconds(0.5);
  neighbours.set_others_cpu_seconds(0.5 * busy_cores);
  return BusyCoresText(neighbours, threads);
}

TEST(BusyCoresTest, ThreadsThatHaveNoCoreAreAWarning) {
  EXPECT_EQ(TextOf(0, 4), "");
  EXPECT_EQ(TextOf(0.4, 4), "");
  EXPECT_EQ(TextOf(2, 2), "");
  EXPECT_THAT(TextOf(1, 4), AllOf(HasSubstr("1.0 of 4 cores busy, so the 4 threads"), HasSubstr("--threads=3 ")));
  EXPECT_THAT(TextOf(4, 2), HasSubstr("--threads=1 "));
  EXPECT_EQ(TextOf(4, 1), "");
}

TEST(BusyCoresTest, WhatWasNotSeenIsNoWarning) {
  proto::Neighbours neighbours;
  EXPECT_EQ(BusyCoresText(neighbours, 4), "");
  neighbours.set_cpu_absent_reason("/proc/stat does not list the cores of this process");
  neighbours.set_watched_seconds(1);
  EXPECT_EQ(BusyCoresText(neighbours, 4), "");
}

// Runs two spinning processes per core.
TEST(BusyCoresTest, ABusyMachineIsSeen) {
  const uint32_t cores = NeighbourWatch().Summary(0u).cores();
  std::vector<pid_t> spinning;
  for (uint32_t i = 0; i < 2 * cores; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (std::atomic<uint64_t> count = 0;; ++count) {
      }
    }
    spinning.push_back(child);
  }
  const std::string warning = BusyCoresWarning(std::max(2u, cores));
  for (const pid_t child : spinning) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_THAT(warning, HasSubstr("cores busy"));
}

}  // namespace
}  // namespace lockstep
