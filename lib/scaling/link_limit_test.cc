#include "lib/scaling/link_limit.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

proto::ScalingRow Row(const std::string& text) {
  proto::ScalingRow row;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &row)) << text;
  return row;
}

// 40 GB in an epoch; the subtraction leaves 2 s, and the all-reduces ran for 4 s.
std::string Overlapped(double link) {
  return absl::StrCat(
      "ranks: 2 bytes_per_step { value: 4e8 } steps_per_epoch { value: 100 } "
      "collective_busy_seconds { value: 4 low: 2 high: 5 } "
      "bandwidth_bytes_per_second { value: 20e9 low: 10e9 high: 40e9 method: 'b; interval: extremes' } "
      "utilization_of_measured { value: ",
      20e9 / link, " low: ", 10e9 / link, " high: ", 40e9 / link, "} measured_link_bytes_per_second { value: ", link,
      "} ");
}

TEST(LinkLimitTest, AboveTheLinkTheCellIsBlankAndTheBandwidthWhileBusyIsThere) {
  proto::ScalingRow row = Row(Overlapped(12e9));
  EXPECT_THAT(BandwidthsAboveLink(row), ElementsAre(AllOf(HasSubstr("20 GB/s are 166.7 % of the link"),
                                                          HasSubstr("the measured link, 12 GB/s"))));
  FillBusyBandwidth(row);
  BlankAboveLink(row);
  for (const proto::Quantity* blank : {&row.bandwidth_bytes_per_second(), &row.utilization_of_measured()}) {
    EXPECT_FALSE(blank->has_value());
    EXPECT_FALSE(blank->has_high());
    EXPECT_THAT(blank->absent_reason(),
                AllOf(HasSubstr("bytes / T_comm would exceed the measured link, 12 GB/s"),
                      HasSubstr("only the time that computing does not hide"), Not(HasSubstr("20 GB/s"))));
  }
  EXPECT_DOUBLE_EQ(row.busy_bandwidth_bytes_per_second().value(), 10e9);
  EXPECT_DOUBLE_EQ(row.busy_utilization_of_measured().value(), 10.0 / 12);
  EXPECT_FALSE(row.busy_bandwidth_bytes_per_second().has_high());  // 20e9 is above the link
  EXPECT_THAT(row.busy_bandwidth_bytes_per_second().method(), HasSubstr("no interval: it would exceed the link"));
  EXPECT_THAT(BandwidthsAboveLink(row), IsEmpty());
}

TEST(LinkLimitTest, BelowTheLinkNothingChanges) {
  proto::ScalingRow row = Row(Overlapped(50e9));
  FillBusyBandwidth(row);
  const proto::ScalingRow before = row;
  BlankAboveLink(row);
  EXPECT_EQ(row.bandwidth_bytes_per_second().ShortDebugString(),
            before.bandwidth_bytes_per_second().ShortDebugString());
  EXPECT_DOUBLE_EQ(row.busy_bandwidth_bytes_per_second().low(), 8e9);
  EXPECT_DOUBLE_EQ(row.busy_bandwidth_bytes_per_second().high(), 20e9);
  EXPECT_THAT(BandwidthsAboveLink(row), IsEmpty());
}

// Copies between GPUs may be faster than the all-reduce that was timed alone.
TEST(LinkLimitTest, TheRuleHoldsForTheBandwidthWhileBusyToo) {
  proto::ScalingRow row = Row(Overlapped(5e9));
  FillBusyBandwidth(row);
  EXPECT_EQ(BandwidthsAboveLink(row).size(), 2u);
  BlankAboveLink(row);
  EXPECT_THAT(row.busy_bandwidth_bytes_per_second().absent_reason(), HasSubstr("does not measure their link"));
  EXPECT_FALSE(row.busy_utilization_of_measured().has_value());
}

TEST(LinkLimitTest, WithoutAMeasuredLinkTheNominalOneCounts) {
  proto::ScalingRow row =
      Row("bandwidth_bytes_per_second { value: 20e9 } measured_link_bytes_per_second { absent_reason: 'not timed' } "
          "utilization_of_nominal { value: 2 }");
  EXPECT_THAT(BandwidthsAboveLink(row), ElementsAre(HasSubstr("the nominal link, 10 GB/s")));
  BlankAboveLink(row);
  EXPECT_FALSE(row.bandwidth_bytes_per_second().has_value());
  EXPECT_FALSE(row.utilization_of_nominal().has_value());
  row = Row("bandwidth_bytes_per_second { value: 20e9 }");
  BlankAboveLink(row);
  EXPECT_TRUE(row.bandwidth_bytes_per_second().has_value());  // no link is known
}

TEST(LinkLimitTest, WhatIsNotThereHasItsReason) {
  proto::ScalingRow row = Row(
      "bytes_per_step { value: 4 } steps_per_epoch { value: 1 } collective_busy_seconds { absent_reason: 'no clock' }");
  FillBusyBandwidth(row);
  EXPECT_EQ(row.busy_bandwidth_bytes_per_second().absent_reason(), "no clock");
  EXPECT_EQ(row.busy_utilization_of_measured().absent_reason(), "needs the bandwidth");
}

}  // namespace
}  // namespace lockstep
