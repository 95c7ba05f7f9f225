#include "lib/scaling/karp_flatt.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(KarpFlattTest, OneMeasurementHasNoInterval) {
  const auto fraction = KarpFlattFraction(4, {12}, {4, 4}, 0.95);  // S = 3: (1/3 - 1/4) / (3/4)
  ASSERT_THAT(fraction, IsOk());
  EXPECT_DOUBLE_EQ(fraction->value, 1.0 / 9);
  EXPECT_FALSE(fraction->interval.has_value());
}

TEST(KarpFlattTest, AnIntervalByHand) {
  // The base times are equal. The logs of the others are 0 and 2x from a middle of ln 4 - x, so their mean has the
  // standard error x and one degree of freedom, for which t at 50 % is 1. S is 12 / mean, times e^-x to e^x.
  const double x = 0.01;
  const auto fraction = KarpFlattFraction(4, {12, 12}, {4, 4 * std::exp(2 * x)}, 0.5);
  ASSERT_THAT(fraction, IsOk());
  const double speedup = 12 / (2 * (1 + std::exp(2 * x)));
  const auto serial = [](double s) { return (1 / s - 0.25) / 0.75; };
  EXPECT_NEAR(fraction->value, serial(speedup), 1e-12);
  ASSERT_TRUE(fraction->interval.has_value());
  EXPECT_NEAR(fraction->interval->low, serial(speedup * std::exp(x)), 1e-12);
  EXPECT_NEAR(fraction->interval->high, serial(speedup * std::exp(-x)), 1e-12);
}

TEST(KarpFlattTest, RepeatsThatAgreeExactly) {
  const auto fraction = KarpFlattFraction(2, {2, 2}, {1, 1}, 0.95);
  ASSERT_THAT(fraction, IsOk());
  EXPECT_EQ(fraction->value, 0);
  EXPECT_EQ(fraction->interval->low, 0);
  EXPECT_EQ(fraction->interval->high, 0);
}

TEST(KarpFlattTest, RefusesWhatIsNoSpeedup) {
  EXPECT_THAT(KarpFlattFraction(1, {1}, {1}, 0.95),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found 1 ranks")));
  EXPECT_THAT(KarpFlattFraction(2, {}, {1}, 0.95),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("0 and 1 times")));
  EXPECT_THAT(KarpFlattFraction(2, {1}, {0}, 0.95), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("above 0")));
}

}  // namespace
}  // namespace lockstep
