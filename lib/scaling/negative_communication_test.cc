#include "lib/scaling/negative_communication.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns a row of 2 devices and 200 steps whose subtraction gives `seconds`.
proto::ScalingRow RowOf(double seconds) {
  proto::ScalingRow row;
  row.set_ranks(2);
  row.mutable_steps_per_epoch()->set_value(200);
  row.mutable_communication_seconds()->set_value(seconds);
  return row;
}

TEST(NegativeCommunicationTest, APositiveOrAbsentDifferenceHasNoText) {
  EXPECT_EQ(NegativeCommunicationText(RowOf(0.5)), "");
  EXPECT_EQ(NegativeCommunicationText(RowOf(0)), "");
  proto::ScalingRow absent = RowOf(-1);
  absent.mutable_communication_seconds()->clear_value();
  EXPECT_FALSE(HasNegativeCommunication(absent));
  EXPECT_EQ(NegativeCommunicationText(absent), "");
}

// -0.05 s / 200 steps = -0.25 ms.
TEST(NegativeCommunicationTest, TheSpreadIsTheCauseIfItReaches0) {
  proto::ScalingRow row = RowOf(-0.05);
  EXPECT_TRUE(HasNegativeCommunication(row));
  EXPECT_EQ(NegativeCommunicationText(row),
            "not measurable by subtraction: a step on 2 devices took 0.25 ms less than on one, although it also "
            "communicates; each time was measured once, so that the spread is not known");
  row.mutable_communication_seconds()->set_low(-0.125);
  row.mutable_communication_seconds()->set_high(0.02);
  EXPECT_EQ(NegativeCommunicationText(row),
            "not measurable by subtraction: a step on 2 devices took 0.25 ms less than on one, although it also "
            "communicates; the spread of single epochs (-0.125 to 0.02 s) is larger than the communication");
  row.mutable_communication_seconds()->set_high(-0.01);
  EXPECT_EQ(NegativeCommunicationText(row),
            "not measurable by subtraction: a step on 2 devices took 0.25 ms less than on one, although it also "
            "communicates; all single epochs agree (-0.125 to -0.01 s), so that one device was slower for another "
            "reason than communication");
}

TEST(NegativeCommunicationTest, WithoutStepsTheEpochIsNamed) {
  proto::ScalingRow row = RowOf(-0.5);
  row.mutable_steps_per_epoch()->clear_value();
  EXPECT_EQ(
      NegativeCommunicationText(row),
      "not measurable by subtraction: an epoch on 2 devices took 0.5 s less than that of one device divided by 2, "
      "although it also communicates; each time was measured once, so that the spread is not known");
}

TEST(NegativeCommunicationTest, AnExposedTimeBelow0IsNotShown) {
  EXPECT_EQ(BelowZeroText(-2.5), "not measurable (below 0 by 2.5 s)");
  EXPECT_EQ(BelowZeroText(-0.0123), "not measurable (below 0 by 12.3 ms)");
  EXPECT_EQ(BelowZeroText(-4e-6), "not measurable (below 0 by 4 us)");
  proto::ScalingRow row = RowOf(-0.05);
  row.mutable_exposed_event_seconds()->set_value(-0.0123);
  row.mutable_exposed_event_seconds()->set_low(-0.02);
  row.mutable_exposed_event_seconds()->set_high(0.01);
  row.mutable_exposed_ablation_seconds()->set_value(0.2);
  row.mutable_overlap_fraction()->set_value(1.01);
  const proto::ScalingRow shown = ShownRow(row);
  EXPECT_FALSE(shown.exposed_event_seconds().has_value() || shown.exposed_event_seconds().has_low());
  EXPECT_EQ(shown.exposed_event_seconds().absent_reason(), "not measurable (below 0 by 12.3 ms)");
  EXPECT_EQ(shown.overlap_fraction().absent_reason(), "exposed time not measurable (below 0 by 12.3 ms)");
  EXPECT_EQ(shown.exposed_ablation_seconds().value(), 0.2);
  EXPECT_EQ(shown.communication_seconds().value(), -0.05);
  row.mutable_exposed_event_seconds()->set_value(0);
  row.mutable_exposed_ablation_seconds()->set_value(-0.3);
  EXPECT_EQ(ShownRow(row).exposed_event_seconds().value(), 0);
  EXPECT_EQ(ShownRow(row).overlap_fraction().value(), 1.01);
  EXPECT_EQ(ShownRow(row).exposed_ablation_seconds().absent_reason(), "not measurable (below 0 by 300 ms)");
}

}  // namespace
}  // namespace lockstep
