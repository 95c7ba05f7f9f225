#include "lib/train/time_left.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(TimeLeftTest, AlikePointsTakeWhatTheyTook) {
  TimeLeft left;
  for (int i = 0; i < 4; ++i) {
    left.Expect(6);
  }
  left.Finish(6, 0.5);
  EXPECT_DOUBLE_EQ(left.Seconds(5), 15);
  left.Finish(6, 0.5);
  EXPECT_DOUBLE_EQ(left.Seconds(10), 10);
}

TEST(TimeLeftTest, TheTimeAfterTheNextPointIsThatOfTheOthers) {
  TimeLeft left;
  for (int i = 0; i < 3; ++i) {
    left.Expect(6);
  }
  EXPECT_LT(left.SecondsAfterNext(6, 0), 0);  // no point has ended
  left.Finish(6, 0.5);
  EXPECT_DOUBLE_EQ(left.SecondsAfterNext(6, 5), 5);
  left.Finish(6, 0.5);
  EXPECT_DOUBLE_EQ(left.SecondsAfterNext(6, 10), 0);
}

// An experiment on one H100: six points of 5 epochs took 38 s, and the seventh point has 294 epochs.
TEST(TimeLeftTest, ALongPointCountsByItsEpochs) {
  TimeLeft left;
  for (int i = 0; i < 6; ++i) {
    left.Expect(5);
  }
  left.Expect(294);
  for (int i = 0; i < 6; ++i) {
    left.Finish(5, 0.435);
  }
  const double rest = (38 - 30 * 0.435) / 6;
  EXPECT_NEAR(left.Seconds(38), rest + 294 * 0.435, 1e-9);
}

TEST(TimeLeftTest, NothingIsLeftAfterTheLast) {
  TimeLeft left;
  left.Expect(5);
  left.Finish(5, 1);
  EXPECT_EQ(left.Seconds(7), 0);
}

TEST(TimeLeftTest, APointOutOfMemoryCountsAsRestAlone) {
  TimeLeft left;
  left.Expect(6);
  left.Expect(6);
  left.Finish(6, 0);
  EXPECT_DOUBLE_EQ(left.Seconds(3), 3);
}

}  // namespace
}  // namespace lockstep
