#include "lib/peer/epoch_line.h"

#include <thread>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

TEST(EpochLineTest, ComparesAcrossTheWrap) {
  EXPECT_TRUE(HasCome(7, 7));
  EXPECT_TRUE(HasCome(8, 7));
  EXPECT_FALSE(HasCome(6, 7));
  EXPECT_TRUE(HasCome(0, 0xFFFFFFFF));
  EXPECT_FALSE(HasCome(0xFFFFFFFF, 0));
  EXPECT_FALSE(HasCome(0xFFFFFFF0, 0x10));
}

TEST(EpochLineTest, WhatHasComeIsNotWaitedFor) {
  EpochLine line = {};
  PublishEpoch(line, 3);
  EXPECT_TRUE(AwaitEpoch(line, 3, 0, Clock::time_point::min()));
  EXPECT_EQ(line.sleepers, 0U);
}

TEST(EpochLineTest, AWaitEndsAtItsDeadline) {
  EpochLine line = {};
  EXPECT_FALSE(AwaitEpoch(line, 1, 10, Clock::now() + std::chrono::milliseconds(20)));
  EXPECT_FALSE(AwaitEpoch(line, 1, 0, Clock::now()));
  EXPECT_EQ(line.sleepers, 0U);
}

// Synchronizes two threads repeatedly. A lost wake-up would end a wait by its deadline.
void BarrierOften(int spins) {
  constexpr uint32_t kFirst = 0xFFFFF000;  // first epoch, so that the counter wraps during the test
  EpochLine lines[2] = {};
  uint32_t data[2] = {};
  bool lost[2] = {};
  bool wrong[2] = {};
  const auto run_rank = [&](int own) {
    for (uint32_t i = 1; i <= 20000; ++i) {
      data[own] = i;  // not atomic: ordered by the epochs
      PublishEpoch(lines[own], kFirst + 2 * i);
      lost[own] |= !AwaitEpoch(lines[1 - own], kFirst + 2 * i, spins, Clock::now() + std::chrono::seconds(60));
      wrong[own] |= data[1 - own] != i;
      PublishEpoch(lines[own], kFirst + 2 * i + 1);
      lost[own] |= !AwaitEpoch(lines[1 - own], kFirst + 2 * i + 1, spins, Clock::now() + std::chrono::seconds(60));
    }
  };
  for (EpochLine& line : lines) {
    line.epoch = kFirst;
  }
  std::thread other(run_rank, 1);
  run_rank(0);
  other.join();
  EXPECT_FALSE(lost[0] || lost[1]);
  EXPECT_FALSE(wrong[0] || wrong[1]);
}

TEST(EpochLineTest, NoWakeUpIsLost) {
  BarrierOften(0);
  BarrierOften(100);
}

}  // namespace
}  // namespace lockstep
