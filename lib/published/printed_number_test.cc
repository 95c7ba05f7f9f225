#include "lib/published/printed_number.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

PrintedNumber Printed(const char* digits) { return *ParsePrintedNumber(digits); }

TEST(PrintedNumberTest, DigitsGiveValueAndUnit) {
  EXPECT_DOUBLE_EQ(Printed("4.389").value, 4.389);
  EXPECT_DOUBLE_EQ(Printed("4.389").unit, 0.001);
  EXPECT_DOUBLE_EQ(Printed("26").unit, 1);
  EXPECT_DOUBLE_EQ(Printed("-0.15").value, -0.15);
  EXPECT_DOUBLE_EQ(Printed("38.20").unit, 0.01);  // the zero is a digit too
  EXPECT_DOUBLE_EQ(Printed("1.746490e+10").value, 17464900000);
  EXPECT_DOUBLE_EQ(Printed("1.746490e+10").unit, 1e4);
  EXPECT_DOUBLE_EQ(Printed("5e-2").unit, 0.01);
}

TEST(PrintedNumberTest, WhatIsNoPlainNumberIsRefused) {
  for (const char* text :
       {"", "-", "1.", "1.2.3", "12%", "1e", "e3", "1e1.5", "1e31", "nan", "inf", "0x10", " 1", "1,000"}) {
    EXPECT_THAT(ParsePrintedNumber(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("plain decimal")))
        << text;
  }
}

TEST(PrintedNumberTest, Rounds) {
  EXPECT_TRUE(RoundsTo(1.4169535, Printed("1.41695")));
  EXPECT_FALSE(RoundsTo(1.3819178, Printed("1.38191")));  // 1.38192
  EXPECT_TRUE(RoundsTo(0.0101836, Printed("0.010")));
  EXPECT_FALSE(RoundsTo(0.0106, Printed("0.010")));
  EXPECT_TRUE(RoundsTo(-0.149, Printed("-0.15")));
}

TEST(PrintedNumberTest, RoundsWithinWhatItsInputsLeaveOpen) {
  EXPECT_FALSE(RoundsTo(3.9757, Printed("3.97")));
  EXPECT_TRUE(RoundsWithin(3.9757, 0.0008, Printed("3.97")));  // 3.9749
  EXPECT_FALSE(RoundsWithin(3.9757, 0.0006, Printed("3.97")));
}

TEST(PrintedNumberTest, ATieMayGoEitherWay) {
  EXPECT_TRUE(RoundsTo(3.1725, Printed("3.172")));
  EXPECT_TRUE(RoundsTo(3.1725, Printed("3.173")));
  EXPECT_FALSE(RoundsTo(3.1726, Printed("3.172")));
}

TEST(PrintedNumberTest, AllDigitsOfADoubleCompareEqual) {
  EXPECT_TRUE(RoundsTo(40.171962 - 46.355837 / 2, Printed("16.9940435")));
  EXPECT_TRUE(RoundsTo(27.699833 - 46.355837 / 4, Printed("16.11087375")));
}

TEST(PrintedNumberTest, Truncates) {
  EXPECT_TRUE(TruncatesTo(1.3819178, Printed("1.38191")));
  EXPECT_FALSE(TruncatesTo(1.38189, Printed("1.38191")));
  EXPECT_FALSE(TruncatesTo(1.38192, Printed("1.38191")));
  EXPECT_TRUE(TruncatesTo(-0.159, Printed("-0.15")));
  EXPECT_FALSE(TruncatesTo(-0.149, Printed("-0.15")));
}

}  // namespace
}  // namespace lockstep
