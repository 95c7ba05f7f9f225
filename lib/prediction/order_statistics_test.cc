#include "lib/prediction/order_statistics.h"

#include <cmath>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Closed forms: David and Nagaraja, "Order Statistics", section 3.2.
TEST(OrderStatisticsTest, SmallCountsHaveClosedForms) {
  const double pi = std::acos(-1.0);
  EXPECT_EQ(ExpectedMaximum(1), 0);
  EXPECT_NEAR(ExpectedMaximum(2), 1 / std::sqrt(pi), 1e-9);
  EXPECT_NEAR(ExpectedMaximum(3), 1.5 / std::sqrt(pi), 1e-9);
  EXPECT_NEAR(ExpectedMaximum(4), 1.0293753730, 1e-9);
  EXPECT_NEAR(ExpectedMaximum(5), 1.1629644736, 1e-9);
}

// Tabulated: H. L. Harter, "Expected values of normal order statistics", Biometrika 48 (1961): n = 100 and 400.
TEST(OrderStatisticsTest, LargeCounts) {
  EXPECT_NEAR(ExpectedMaximum(100), 2.50759, 5e-6);
  EXPECT_NEAR(ExpectedMaximum(400), 2.96818, 5e-6);
}

TEST(OrderStatisticsTest, GrowsWithTheCountAndTheRangeIsTwice) {
  double before = 0;
  for (uint32_t count = 2; count <= (1u << 20); count *= 2) {
    EXPECT_GT(ExpectedMaximum(count), before) << count;
    before = ExpectedMaximum(count);
    EXPECT_DOUBLE_EQ(ExpectedRange(count), 2 * before);
  }
  // The bound sqrt(2 ln N) for independent normals.
  EXPECT_LT(before, std::sqrt(2 * std::log(1 << 20)));
}

}  // namespace
}  // namespace lockstep
