#include "lib/plot/spread_apart.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> Spread(std::vector<double> positions) {
  SpreadApart(15, 0, 100, positions);
  return positions;
}

TEST(SpreadApartTest, DistantPositionsStay) { EXPECT_THAT(Spread({80, 10, 40}), ElementsAre(80, 10, 40)); }

TEST(SpreadApartTest, ClosePositionsMoveAndKeepTheirOrder) {
  EXPECT_THAT(Spread({50, 42, 44}), ElementsAre(72, 42, 57));
  EXPECT_THAT(Spread({30, 30}), ElementsAre(30, 45));
}

TEST(SpreadApartTest, NoPositionExceedsTheLimits) {
  EXPECT_THAT(Spread({99, 98, -3}), ElementsAre(100, 85, 0));
  EXPECT_THAT(Spread({}), IsEmpty());
}

}  // namespace
}  // namespace lockstep
