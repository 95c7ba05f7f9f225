#include "lib/collectives/collective_cost.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// ResNet-18 for CIFAR-10.
constexpr uint64_t kResNet18 = 11'173'962;

TEST(AllReduceLowerBoundTest, OneRankSendsNothing) { EXPECT_EQ(AllReduceLowerBoundBytes(1, kResNet18, 4), 0u); }

TEST(AllReduceLowerBoundTest, TwoRanksSendTheGradientOnce) {
  EXPECT_EQ(AllReduceLowerBoundBytes(2, kResNet18, 4), 44'695'848u);  // 2 * 1/2 * X * 4
}

TEST(AllReduceLowerBoundTest, FourRanksSendOneAndAHalf) {
  EXPECT_EQ(AllReduceLowerBoundBytes(4, kResNet18, 4), 67'043'772u);  // 1.5 * 11,173,962 = 16,760,943 exactly
}

TEST(AllReduceLowerBoundTest, RoundsElementsUpNotBytes) {
  EXPECT_EQ(AllReduceLowerBoundBytes(4, 5, 4), 32u);  // 7.5 elements -> 8, times 4; 7.5 * 4 = 30 would be too few
  EXPECT_EQ(AllReduceLowerBoundBytes(3, 1, 2), 4u);   // 4/3 -> 2
  EXPECT_EQ(AllReduceLowerBoundBytes(3, 0, 2), 0u);
}

// Two ranks send the same number of bytes either way; from three ranks on, whole copies send more.
TEST(WholeCopiesTest, EachOtherRankIsSentAll) {
  EXPECT_EQ(WholeCopiesBytes(1, kResNet18, 4), 0u);
  EXPECT_EQ(WholeCopiesBytes(2, kResNet18, 4), AllReduceLowerBoundBytes(2, kResNet18, 4));
  EXPECT_EQ(WholeCopiesBytes(4, kResNet18, 4), 3u * 44'695'848u);
}

TEST(SharedUpdateTest, GradientsGoToTheRankThatUpdatesAndWeightsComeBack) {
  EXPECT_EQ(SharedUpdateBytes(1, kResNet18, 2, 2), 0u);
  EXPECT_EQ(SharedUpdateBytes(4, 8, 4, 2), 6u * (4 + 2));  // three quarters of eight elements
  EXPECT_EQ(SharedUpdateBytes(3, 4, 2, 2), 3u * (2 + 2));  // 8/3, rounded up
  EXPECT_EQ(SharedUpdateBytes(2, kResNet18, 2, 2), AllReduceLowerBoundBytes(2, kResNet18, 2));
}

TEST(SharesOverHostsTest, EachRankSendsItsShareOnly) {
  EXPECT_EQ(SharesOverHostsBytes(1, 4, kResNet18, 2), 0u);
  EXPECT_EQ(SharesOverHostsBytes(2, 1, kResNet18, 2), AllReduceLowerBoundBytes(2, kResNet18, 2));
  EXPECT_EQ(SharesOverHostsBytes(4, 2, 16, 4), 12u * 4);  // 6/4 of a half of 16 elements
  EXPECT_EQ(SharesOverHostsBytes(2, 2, 5, 2), 3u * 2);    // a half of 5 elements, rounded up
}

TEST(BandwidthTest, BusIsAlgorithmTimesTheFactor) {
  EXPECT_DOUBLE_EQ(AlgorithmBandwidth(1e9, 0.5), 2e9);
  EXPECT_DOUBLE_EQ(AllReduceBusBandwidth(2, 1e9, 0.5), 2e9);
  EXPECT_DOUBLE_EQ(AllReduceBusBandwidth(4, 1e9, 0.5), 3e9);
}

TEST(StepsPerEpochTest, RoundsUpUnlessTheTailIsDropped) {
  EXPECT_EQ(StepsPerEpoch(50'000, 32, 1), 1563u);  // 1562.5
  EXPECT_EQ(FullStepsPerEpoch(50'000, 32, 1), 1562u);
  EXPECT_EQ(StepsPerEpoch(50'000, 32, 2), 782u);  // 781.25
  EXPECT_EQ(StepsPerEpoch(50'000, 512, 4), 25u);  // 24.4
  EXPECT_EQ(StepsPerEpoch(64, 32, 2), 1u);
  EXPECT_EQ(FullStepsPerEpoch(64, 32, 2), 1u);
  EXPECT_EQ(StepsPerEpoch(0, 32, 2), 0u);
}

}  // namespace
}  // namespace lockstep
