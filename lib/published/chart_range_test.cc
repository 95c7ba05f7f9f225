#include "lib/published/chart_range.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ChartRangeTest, ANumberWithinItsLimitsPasses) {
  EXPECT_THAT(CheckChartRange("11.9", "11", "12"), IsOk());
  EXPECT_THAT(CheckChartRange("12.70", "12.70", "12.70"), IsOk());
  EXPECT_THAT(CheckChartRange("7.0000001", "7", "7"), IsOk());  // rounding of a mean
}

TEST(ChartRangeTest, AMissingLimitIsNone) {
  EXPECT_THAT(CheckChartRange("-5", "", "7"), IsOk());
  EXPECT_THAT(CheckChartRange("1e9", "7", "NaN"), IsOk());
}

TEST(ChartRangeTest, ANumberOutsideIsRefusedWithItsLimit) {
  EXPECT_THAT(CheckChartRange("1e9", "7", "7.5"),
              StatusIs(kInvalid, AllOf(HasSubstr("at most 7.5, its __MAX, found 1e9"), HasSubstr("export the chart"))));
  EXPECT_THAT(CheckChartRange("6.9", "7", "7.5"), StatusIs(kInvalid, HasSubstr("at least 7, its __MIN, found 6.9")));
  EXPECT_THAT(CheckChartRange("6.9", "", "x"), StatusIs(kInvalid, HasSubstr("'x' is not a plain decimal number")));
}

}  // namespace
}  // namespace lockstep
