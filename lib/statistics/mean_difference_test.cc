#include "lib/statistics/mean_difference.h"

#include <cstdint>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Student's hours of sleep (Biometrika 6, 1908), R's data set `sleep`: the documentation of t.test prints
// t = -1.8608, df = 17.776, p-value = 0.07939 for extra ~ group.
TEST(WelchTestTest, AsPublished) {
  const auto sleep = WelchTest({0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
                               {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4});
  ASSERT_TRUE(sleep.has_value());
  EXPECT_NEAR(sleep->difference, 0.75 - 2.33, 1e-12);
  EXPECT_NEAR(sleep->t, -1.8608, 5e-5);
  EXPECT_NEAR(sleep->degrees_of_freedom, 17.776, 5e-4);
  EXPECT_NEAR(sleep->p, 0.07939, 5e-6);
}

// Groups of unequal size and variance; computed with the incomplete beta function, independently of Boost.
TEST(WelchTestTest, UnequalGroups) {
  const auto unequal = WelchTest({17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8},
                                 {21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8,
                                  20.7, 21.7, 21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8});
  ASSERT_TRUE(unequal.has_value());
  EXPECT_NEAR(unequal->t, -1.5654335235985073, 1e-12);
  EXPECT_NEAR(unequal->degrees_of_freedom, 9.904741248650831, 1e-12);
  EXPECT_NEAR(unequal->p, 0.14884169660532864, 1e-12);
}

// 40 / sqrt(4/3 + 4/3), and 2 + 2 degrees of freedom because both variances are 4.
TEST(WelchTestTest, ByHand) {
  const auto far = WelchTest({60, 62, 64}, {20, 22, 24});
  ASSERT_TRUE(far.has_value());
  EXPECT_NEAR(far->t, 24.49489742783178, 1e-12);
  EXPECT_NEAR(far->degrees_of_freedom, 4, 1e-12);
  EXPECT_NEAR(far->p, 1.6483088987181252e-05, 1e-12);
  const auto turned = WelchTest({20, 22, 24}, {60, 62, 64});
  ASSERT_TRUE(turned.has_value());
  EXPECT_EQ(turned->difference, -40);
  EXPECT_EQ(turned->p, far->p);
}

TEST(WelchTestTest, EqualMeansAreNoDifference) {
  const auto equal = WelchTest({1, 3}, {2, 2.5, 1.5});
  ASSERT_TRUE(equal.has_value());
  EXPECT_EQ(equal->p, 1);
}

TEST(WelchTestTest, WithoutASpreadThereIsNoTest) {
  EXPECT_FALSE(WelchTest({}, {}).has_value());
  EXPECT_FALSE(WelchTest({1}, {2, 3}).has_value());
  EXPECT_FALSE(WelchTest({2, 3}, {1}).has_value());
  EXPECT_FALSE(WelchTest({0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}).has_value());
  EXPECT_FALSE(WelchTest({1, 1}, {2, 2}).has_value());
  EXPECT_FALSE(WelchTest({1, std::numeric_limits<double>::quiet_NaN()}, {2, 3}).has_value());
  EXPECT_TRUE(WelchTest({1, 1}, {2, 3}).has_value());  // one group's spread is enough
}

// Two groups of one normal distribution, three values each: p must be below 0.05 in about 5 % of cases, and not more.
// Sums of twelve uniform numbers approximate normal ones. Welch's test of so few values is conservative.
TEST(WelchTestTest, CallsChanceADifferenceAtTheStatedRate) {
  uint64_t state = 1;
  const auto normal = [&state] {
    double sum = 0;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // D. Knuth's MMIX
      sum += static_cast<double>(state >> 11) * 0x1p-53;
    }
    return sum - 6;
  };
  constexpr int kCases = 20'000;
  int called = 0;
  for (int i = 0; i < kCases; ++i) {
    const auto chance = WelchTest({normal(), normal(), normal()}, {normal(), normal(), normal()});
    called += chance.has_value() && chance->p < 0.05 ? 1 : 0;
  }
  EXPECT_GT(called, kCases * 0.03);
  EXPECT_LT(called, kCases * 0.0546);  // 5 % plus three standard deviations of the count
}

// The example of Wikipedia's "Holm-Bonferroni method": 0.005 and 0.01 are differences at 5 %, 0.03 and 0.04 are not. The
// values are those of R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
TEST(HolmAdjustedTest, AsPublished) {
  EXPECT_THAT(HolmAdjusted({0.01, 0.04, 0.03, 0.005}), ElementsAre(DoubleNear(0.03, 1e-15), DoubleNear(0.06, 1e-15),
                                                                   DoubleNear(0.06, 1e-15), DoubleNear(0.02, 1e-15)));
}

TEST(HolmAdjustedTest, NeverAboveOneAndNeverBelowThePValue) {
  EXPECT_THAT(HolmAdjusted({}), IsEmpty());
  EXPECT_THAT(HolmAdjusted({0.2}), ElementsAre(0.2));
  EXPECT_THAT(HolmAdjusted({0.6, 0.7}), ElementsAre(1, 1));
  EXPECT_THAT(HolmAdjusted({0.5, 0.5, 0}), ElementsAre(1, 1, 0));
}

}  // namespace
}  // namespace lockstep
