#include "lib/scaling/speedup_doubts.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

proto::ScalingRow Row(const std::string& text) {
  proto::ScalingRow row;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &row)) << text;
  return row;
}

// 2 ranks. 3 % above is 2.06.
TEST(SpeedupDoubtsTest, OnlyASignificantSpeedupAboveNIsNamed) {
  const struct {
    const char* row;
    const char* named;
  } cases[] = {
      {"epoch_speedup { value: 2.4 low: 2.2 high: 2.61 }", "epoch speed-up 2.4 (2.2 to 2.61)"},
      {"epoch_speedup { value: 1.9 low: 1.8 high: 2.0 } weak_speedup { value: 2.1 low: 2.05 high: 2.2 }",
       "weak speed-up 2.1 (2.05 to 2.2)"},
      {"strong_speedup { value: 3 low: 2.5 high: 4 }", "strong speed-up 3 (2.5 to 4)"},
      {"epoch_speedup { value: 2.4 low: 1.99 high: 2.9 }", ""},   // the interval reaches below 2
      {"epoch_speedup { value: 2.05 low: 2.01 high: 2.1 }", ""},  // less than two processes may differ
      {"epoch_speedup { value: 2.4 }", ""},                       // measured once
      {"epoch_speedup { absent_reason: 'no base case' }", ""},
      {"epoch_speedup { value: 1.9 low: 1.8 high: 2.0 }", ""},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(SpeedupAboveRanks(Row(std::string("ranks: 2 ") + each.row)), each.named) << each.row;
  }
  EXPECT_EQ(SpeedupAboveRanks(Row("ranks: 1 epoch_speedup { value: 1.4 low: 1.3 high: 1.5 }")), "");
}

TEST(SpeedupDoubtsTest, TheProbableCauseIsTheFirstThatApplies) {
  const std::string above = "ranks: 2 epoch_speedup { value: 2.4 low: 2.2 high: 2.6 method: 'E_1(32)/E_2(32), base ";
  EXPECT_THAT(CauseOfSpeedupAboveRanks(Row(above + "case (scale record)' }")), HasSubstr("1 rank was slower"));
  EXPECT_THAT(CauseOfSpeedupAboveRanks(Row(above + "case (sweep record)' }")), HasSubstr("is of a sweep"));
  EXPECT_THAT(CauseOfSpeedupAboveRanks(Row(above + "case (sweep record)' } run_start: 'a' run_start: 'b'")),
              HasSubstr("changed between the two runs"));
}

}  // namespace
}  // namespace lockstep
