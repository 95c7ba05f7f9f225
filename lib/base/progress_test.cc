#include "lib/base/progress.h"

#include <cstdlib>

#include "gtest/gtest.h"
#include "lib/base/log_line.h"

namespace lockstep {
namespace {

TEST(ProgressLineTest, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine("batch 32", 250, 1000, "images", 5.0),
            "batch 32   25% 250/1000 images  50.0 images/s  15 s left");
}

TEST(ProgressLineTest, WhatWasDoneBeforeIsNoRate) {
  EXPECT_EQ(ProgressLine("x", 750, 1000, "images", 5.0, 500), "x   75% 750/1000 images  50.0 images/s  5 s left");
  EXPECT_EQ(ProgressLine("x", 500, 1000, "images", 5.0, 500), "x   50% 500/1000 images");
}

TEST(ProgressLineTest, TheTimeOfLaterStepsIsLeftToo) {
  EXPECT_EQ(ProgressLine("x", 250, 1000, "images", 5.0, 0, 20), "x   25% 250/1000 images  50.0 images/s  35 s left");
  EXPECT_EQ(ProgressLine("x", 250, 1000, "images", 5.0, 0, -1),
            "x   25% 250/1000 images  50.0 images/s  15 s left of this part");
}

TEST(ProgressLineTest, BytesAreShownInUnitsThatPeopleRead) {
  EXPECT_EQ(ProgressLine("unpacking", 1'500'000, 170'498'071, "bytes", 0.5),
            "unpacking    1% 1.50 MB/170 MB  3.00 MB/s  56 s left");
}

TEST(ProgressLineTest, NothingDoneHasNoRate) {
  EXPECT_EQ(ProgressLine("batch 32", 0, 10, "images", 1.0), "batch 32    0% 0/10 images");
}

TEST(ProgressLineTest, NothingToDoIsAllDone) { EXPECT_EQ(ProgressLine("x", 0, 0, "steps", 1.0), "x  100% 0/0 steps"); }

TEST(ProgressLineTest, LongTimesArePrintedInMinutesAndHours) {
  EXPECT_EQ(ProgressLine("x", 1, 121, "steps", 10.0), "x    1% 1/121 steps  0.1 steps/s  20 min left");
  EXPECT_EQ(ProgressLine("x", 1, 1081, "steps", 10.0), "x    0% 1/1081 steps  0.1 steps/s  3.0 h left");
}

TEST(ProgressLineTest, MoreDoneThanAskedForHasNoTimeLeft) {
  EXPECT_EQ(ProgressLine("x", 12, 10, "steps", 2.0), "x  120% 12/10 steps  6.0 steps/s  0 s left");
}

TEST(ProgressBarTest, FillsWithTheShareDone) {
  EXPECT_EQ(ProgressBar("line", 0, 10, 80, BarColour::kNone), "[--------------------] line");
  EXPECT_EQ(ProgressBar("line", 5, 10, 80, BarColour::kNone), "[##########----------] line");
  EXPECT_EQ(ProgressBar("line", 10, 10, 80, BarColour::kNone), "[####################] line");
  EXPECT_EQ(ProgressBar("line", 11, 10, 80, BarColour::kNone), "[####################] line");
  EXPECT_EQ(ProgressBar("line", 0, 0, 80, BarColour::kNone), "[####################] line");
}

TEST(ProgressBarTest, OnlyTheFullCellsAreColoured) {
  EXPECT_EQ(ProgressBar("line", 5, 10, 80, BarColour::kGreen), "[\x1b[32m##########\x1b[0m----------] line");
}

TEST(ProgressBarTest, IsNoLongerThanTheTerminalIsWide) {
  EXPECT_EQ(ProgressBar("0123456789", 5, 10, 30, BarColour::kNone), "[##########----------] 0123456");
  EXPECT_EQ(ProgressBar("0123456789", 5, 10, 20, BarColour::kNone), "0123456789");
  EXPECT_EQ(ProgressBar("0123456789", 5, 10, 4, BarColour::kNone), "0123");
}

TEST(ProgressTest, IsSilentInAFileForTheFirstTenSeconds) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress("x", 10, "steps", file);
    progress.Update(5);
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(ProgressTest, ALineIsPrintedAtOnce) {
  std::FILE* file = std::tmpfile();
  Progress("x", 10, "steps", file).PrintLine("epoch 1\x1B");
  std::rewind(file);
  char text[16] = {};
  EXPECT_NE(std::fgets(text, sizeof(text), file), nullptr);
  EXPECT_STREQ(text, "epoch 1\\x1b\n");
  EXPECT_EQ(std::ftell(file), 12);
  std::fclose(file);
}

TEST(ProgressDeathTest, IsSilentIfTheRunIsQuiet) {
  const auto quiet = [] {
    SetQuiet();
    Progress("x", 10, "steps").PrintLine("epoch 1");
    std::exit(0);
  };
  EXPECT_EXIT(quiet(), ::testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace lockstep
