#include "lib/statistics/percentile.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(PercentileTest, OfFewTheRankIsRoundedUp) {
  EXPECT_EQ(Percentile({1, 2, 3}, 0.5), 2);
  EXPECT_EQ(Percentile({1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(Percentile({1, 2, 3}, 0.99), 3);
  EXPECT_EQ(Percentile({1, 2, 3}, 0), 1);
  EXPECT_EQ(Percentile({1, 2, 3}, 1), 3);
}

}  // namespace
}  // namespace lockstep
