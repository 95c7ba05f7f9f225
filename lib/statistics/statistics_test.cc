#include "lib/statistics/statistics.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Tolerance: half of the last digit of the printed table (W. Gosset's, in every textbook).
TEST(StudentTFactorTest, AsInPrintedTables) {
  EXPECT_NEAR(StudentTFactor(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(StudentTFactor(0.95, 4), 2.776, 5e-4);
  EXPECT_NEAR(StudentTFactor(0.95, 30), 2.042, 5e-4);
  EXPECT_NEAR(StudentTFactor(0.99, 10), 3.169, 5e-4);
}

TEST(StudentTFactorTest, WithManyDegreesOfFreedomItIsTheNormalOne) {
  EXPECT_NEAR(StudentTFactor(0.95, 1e9), 1.960, 5e-4);
}

TEST(MedianTest, MiddleOrMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({9, 1, 5, 7}), 6);
}

}  // namespace
}  // namespace lockstep
