#include "lib/int8/exact_sums.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

ExactSums SumsOf(const std::vector<float>& values) {
  ExactSums sums;
  sums.Add(values.data(), values.size());
  return sums;
}

TEST(ExactSumsTest, ByHand) {
  EXPECT_EQ(SumsOf({}).Sum(), 0);
  EXPECT_EQ(SumsOf({}).SumOfSquares(), 0);
  EXPECT_EQ(SumsOf({1, -3, 0.5f, 0, -0.0f}).Sum(), -1.5);
  EXPECT_EQ(SumsOf({1, -3, 0.5f, 0, -0.0f}).SumOfSquares(), 10.25);
}

TEST(ExactSumsTest, LargestAndSmallestFloats) {
  EXPECT_EQ(SumsOf({kLargest, kLargest}).Sum(), 2.0 * kLargest);
  EXPECT_EQ(SumsOf({kLargest}).SumOfSquares(), double{kLargest} * kLargest);
  EXPECT_EQ(SumsOf({kSmallest, kSmallest, kSmallest}).Sum(), 3.0 * kSmallest);
  EXPECT_EQ(SumsOf({kSmallest, -kSmallest}).SumOfSquares(), 2.0 * kSmallest * kSmallest);
  EXPECT_EQ(SumsOf({std::numeric_limits<float>::min(), -kSmallest}).Sum(),
            double{std::numeric_limits<float>::min()} - kSmallest);
}

TEST(ExactSumsTest, SmallValuesAreNotLostNextToLargeOnes) {
  // In double, 1e30 + 1 - 1e30 is 0.
  EXPECT_EQ(SumsOf({1e30f, 1, -1e30f}).Sum(), 1);
}

// Adds enough squares of the largest significand to overflow 64 bits: only 2^16 fit, so Add must divide the values.
TEST(ExactSumsTest, ManyLargeSignificands) {
  const float value = 16777215;  // 2^24 - 1
  const size_t size = 300001;    // not a multiple of any part's size
  const ExactSums sums = SumsOf(std::vector<float>(size, value));
  EXPECT_EQ(sums.Sum(), double{value} * size);
  EXPECT_NEAR(sums.SumOfSquares() / (double{value} * value * size), 1, 1e-15);
}

TEST(ExactSumsTest, InPartsIsAsAtOnce) {
  const std::vector<float> values = {0.1f, -2.7f, 1e-30f, 3e20f, -3e20f, 7.3f, 0.3f};
  for (size_t split = 0; split <= values.size(); ++split) {
    ExactSums sums = SumsOf({values.begin(), values.begin() + split});
    sums.Add(values.data() + split, values.size() - split);
    EXPECT_EQ(sums.Sum(), SumsOf(values).Sum());
    EXPECT_EQ(sums.SumOfSquares(), SumsOf(values).SumOfSquares());
  }
}

}  // namespace
}  // namespace lockstep
