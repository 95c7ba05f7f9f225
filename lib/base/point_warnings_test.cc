#include "lib/base/point_warnings.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PointWarningsTest, OneLinePerCause) {
  PointWarnings warnings;
  EXPECT_THAT(warnings.Lines(8), IsEmpty());
  warnings.Add("batch 8", "timed epochs differ by 23 % (0.1 to 0.123 s): measure again");
  warnings.Add("batch 8", "1 other process uses the GPU");
  warnings.Add("batch 16", "timed epochs differ by 11 % (1.5 to 2 s): measure again");
  EXPECT_THAT(warnings.Lines(8),
              ElementsAre("at 2 of 8 points (batch 8; batch 16), at the first: timed epochs differ by 23 % (0.1 to "
                          "0.123 s): measure again",
                          "batch 8: 1 other process uses the GPU"));
}

TEST(PointWarningsTest, CountsPointsAndNotWarnings) {
  PointWarnings warnings;
  for (const char* point : {"batch 8", "batch 16"}) {
    warnings.Add(point, "rank 0: other processes used 53 % of the cores");
    warnings.Add(point, "rank 1: other processes used 54 % of the cores");
  }
  EXPECT_THAT(warnings.Lines(2), ElementsAre("at 2 of 2 points (batch 8; batch 16), at the first: rank 0: other "
                                             "processes used 53 % of the cores"));
}

TEST(PointWarningsTest, NamesThreePoints) {
  PointWarnings warnings;
  for (const char* point : {"batch 8", "batch 16", "batch 32", "batch 64", "batch 128"}) {
    warnings.Add(point, "other processes used 53 % of the cores");
  }
  EXPECT_THAT(warnings.Lines(8), ElementsAre("at 5 of 8 points (batch 8; batch 16; batch 32; and 2 more), at the "
                                             "first: other processes used 53 % of the cores"));
}

TEST(PointWarningsTest, ThePointsHaveAnotherName) {
  PointWarnings warnings;
  warnings.Add("lenet5", "no normalization");
  warnings.Add("resnet18", "no normalization");
  EXPECT_THAT(warnings.Lines(2, "networks"),
              ElementsAre("at 2 of 2 networks (lenet5; resnet18), at the first: no normalization"));
}

}  // namespace
}  // namespace lockstep
