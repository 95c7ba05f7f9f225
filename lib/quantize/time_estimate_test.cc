#include "lib/quantize/time_estimate.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(TimeEstimateTest, ASlowNetworkIsTimedOnFewImages) {
  EXPECT_EQ(ImagesInSeconds(3, {10, 1.5}, 15, 200), 20u);
  EXPECT_EQ(ImagesInSeconds(3, {10, 30}, 15, 200), 15u);
  EXPECT_EQ(ImagesInSeconds(3, {10, 0.001}, 15, 200), 200u);
  EXPECT_EQ(ImagesInSeconds(3, {10, 0}, 15, 200), 200u);
}

TEST(TimeEstimateTest, TheFixedCostIsCountedOnce) {
  // 2 s, and 0.1 s for each image
  EXPECT_DOUBLE_EQ(SecondsFor(1000, {10, 3}, {30, 5}), 102);
  EXPECT_DOUBLE_EQ(SecondsFor(30, {10, 3}, {30, 5}), 5);
}

TEST(TimeEstimateTest, NoiseIsScaled) {
  EXPECT_DOUBLE_EQ(SecondsFor(100, {10, 3}, {20, 2}), 10);
  EXPECT_DOUBLE_EQ(SecondsFor(100, {10, 3}, {10, 4}), 40);
}

}  // namespace
}  // namespace lockstep
