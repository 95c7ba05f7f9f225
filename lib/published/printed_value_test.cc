#include "lib/published/printed_value.h"

#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

proto::PublishedValue Value(const char* digits, double unit_seconds) {
  proto::PublishedValue value;
  value.set_quantity(proto::EPOCH_SECONDS);
  value.set_as_printed(digits);
  value.set_unit_seconds(unit_seconds);
  return value;
}

TEST(PrintedValueTest, MinutesAndHoursAreSeconds) {
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("12.5", 0))->value, 12.5);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("12.5", 0))->unit, 0.1);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("12.5", 60))->value, 750);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("12.5", 60))->unit, 6);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("1.25", 3600))->value, 4500);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(Value("1.25", 3600))->unit, 36);
  EXPECT_FALSE(PrintedNumberOf(Value("1.25x", 60)).ok());
}

TEST(PrintedValueTest, KilowattHoursAreJoules) {
  proto::PublishedValue value = Value("1.25", 0);
  value.set_quantity(proto::EPOCH_JOULES);
  value.set_unit_joules(3.6e6);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(value)->value, 4.5e6);
  EXPECT_DOUBLE_EQ(PrintedNumberOf(value)->unit, 3.6e4);
  EXPECT_EQ(PrintedText(value), "1.25 kWh");
}

TEST(PrintedValueTest, TheTextNamesTheUnit) {
  EXPECT_EQ(PrintedText(Value("12.5", 0)), "12.5");
  EXPECT_EQ(PrintedText(Value("12.5", 60)), "12.5 min");
  EXPECT_EQ(PrintedText(Value("1.25", 3600)), "1.25 h");
}

}  // namespace
}  // namespace lockstep
