#include "lib/scaling/scaling.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(SpeedupTest, StrongComparesTheSameGlobalBatch) {
  EXPECT_DOUBLE_EQ(StrongSpeedup(Exactly(12), Exactly(4))->mean, 3);
}

TEST(SpeedupTest, WeakIsIdealWhenAStepTakesAsLong) {
  // 100 steps of 0.1 s on one device, 50 steps of 0.1 s on each of two: twice the images per second.
  EXPECT_DOUBLE_EQ(WeakSpeedup(2, Exactly(10), 100, Exactly(5), 50)->mean, 2);
}

TEST(SpeedupTest, WeakIsOneWhenAStepTakesNTimesAsLong) {
  EXPECT_DOUBLE_EQ(WeakSpeedup(4, Exactly(10), 100, Exactly(10), 25)->mean, 1);
}

TEST(SpeedupTest, WeakByImagesCountsASmallerLastStepByItsImages) {
  // Measured on 1 and 4 H200s with 5,000 images and batch 512: 10 steps, and 3 steps of which the last has 226 images.
  // By steps, the speed-up would be 4.6 on 4 devices.
  EXPECT_NEAR(WeakSpeedup(4, Exactly(0.53136), 10, Exactly(0.13837), 3)->mean, 4.608, 0.001);
  EXPECT_NEAR(WeakSpeedupByImages(Exactly(0.53136), 5000, Exactly(0.13837), 5000)->mean, 3.840, 0.001);
  // Whole steps: both formulas agree.
  EXPECT_DOUBLE_EQ(WeakSpeedupByImages(Exactly(9), 3200, Exactly(5), 3200)->mean, 1.8);
  EXPECT_FALSE(WeakSpeedupByImages(Exactly(9), 0, Exactly(5), 3200).has_value());
}

TEST(SpeedupTest, WeakOfNoStepsIsNothing) { EXPECT_FALSE(WeakSpeedup(2, Exactly(10), 0, Exactly(5), 50).has_value()); }

TEST(SpeedupTest, TheEpochQuotientIsAlreadyWeak) {
  // Steps divide evenly, so both are 1.8.
  EXPECT_DOUBLE_EQ(EpochSpeedup(Exactly(9), Exactly(5))->mean, 1.8);
  EXPECT_DOUBLE_EQ(WeakSpeedup(2, Exactly(9), 100, Exactly(5), 50)->mean, 1.8);
}

TEST(SerialFractionTest, AnIdealSpeedupHasNone) {
  EXPECT_DOUBLE_EQ(KarpFlatt(4, 4.0), 0);
  EXPECT_DOUBLE_EQ(GustafsonSerialFraction(4, 4.0), 0);
}

TEST(SerialFractionTest, NoSpeedupIsAllSerial) {
  EXPECT_DOUBLE_EQ(KarpFlatt(4, 1.0), 1);
  EXPECT_DOUBLE_EQ(GustafsonSerialFraction(4, 1.0), 1);
}

TEST(SerialFractionTest, HandChecked) {
  // S = 2 on 4: (1/2 - 1/4) / (3/4) = 1/3, and Amdahl's 1 / (1/3 + 2/3/4) = 2. Gustafson: (4 - 2) / 3.
  EXPECT_DOUBLE_EQ(KarpFlatt(4, 2.0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(GustafsonSerialFraction(4, 2.0), 2.0 / 3);
}

TEST(SerialFractionTest, SuperlinearIsNegative) { EXPECT_LT(KarpFlatt(2, 2.5), 0); }

TEST(SerialFractionTest, TheIntervalChangesEnds) {
  const Spread e = GustafsonSerialFraction(4, Spread{2, 1, 4, true});
  EXPECT_DOUBLE_EQ(e.low, 0);
  EXPECT_DOUBLE_EQ(e.high, 1);
  EXPECT_TRUE(e.repeated);
}

}  // namespace
}  // namespace lockstep
