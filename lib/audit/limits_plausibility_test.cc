// Remarks of the audit on speed-ups above N, efficiencies above 100 %, and second values of one quantity.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns the audit of one number that was read off, on 4 devices.
proto::AuditedValue ReadOff(proto::PublishedQuantity quantity, const std::string& digits,
                            const std::string& context = "") {
  proto::PublishedTables document;
  document.set_source("made up");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, quantity, 4, 32, digits);
  table.mutable_value(0)->set_read_off(true);
  table.mutable_value(0)->set_context(context);
  return AuditOf(document, "t")[0];
}

TEST(LimitsPlausibilityTest, NumbersAboveTheirLimitAreFlagged) {
  EXPECT_THAT(ReadOff(proto::SPEEDUP, "4.20").flag(), ElementsAre("superlinear_speedup"));
  EXPECT_THAT(ReadOff(proto::SPEEDUP, "4.20").sentence(), HasSubstr("4.20 is more than 4 devices can give"));
  EXPECT_THAT(ReadOff(proto::EFFICIENCY_PERCENT, "104.9").flag(), ElementsAre("efficiency_above_100_percent"));
  EXPECT_THAT(ReadOff(proto::COMMUNICATION_PERCENT, "101.0").flag(), ElementsAre("share_above_the_whole"));
  EXPECT_THAT(ReadOff(proto::COMMUNICATION_FRACTION, "1.01").flag(), ElementsAre("share_above_the_whole"));
}

TEST(LimitsPlausibilityTest, NumbersWithinTheirLimitAreNot) {
  EXPECT_THAT(ReadOff(proto::SPEEDUP, "4.00").flag(), IsEmpty());
  EXPECT_THAT(ReadOff(proto::SPEEDUP, "4.005").flag(), ElementsAre("superlinear_speedup"));
  EXPECT_THAT(ReadOff(proto::SPEEDUP, "4.1", "FP32 to mixed precision").flag(), IsEmpty());  // compares two columns
  EXPECT_THAT(ReadOff(proto::EFFICIENCY_PERCENT, "100").flag(), IsEmpty());
  EXPECT_THAT(ReadOff(proto::COMMUNICATION_FRACTION, "1.0").flag(), IsEmpty());
}

// Returns times of 100 s on one device and `two` on two, next to a speed-up and an efficiency.
std::vector<proto::AuditedValue> Scaling(const std::string& two, const std::string& speedup,
                                         const std::string& efficiency) {
  proto::PublishedTables document;
  document.set_source("made up");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "100.00");
  Add(table, proto::EPOCH_SECONDS, 2, 32, two);
  Add(table, proto::SPEEDUP, 2, 32, speedup);
  Add(table, proto::EFFICIENCY_PERCENT, 2, 32, efficiency);
  return AuditOf(document, "t");
}

// 100 / 45 = 2.222 on two devices: the number follows from its times, so it has a sentence and no flag.
TEST(LimitsPlausibilityTest, ANumberThatFollowsHasASentence) {
  const auto above = Scaling("45.00", "2.222", "111.11");
  for (const int i : {2, 3}) {
    EXPECT_EQ(above[i].finding(), proto::REPRODUCED) << above[i].ShortDebugString();
    EXPECT_THAT(above[i].flag(), IsEmpty()) << above[i].ShortDebugString();
    EXPECT_THAT(above[i].sentence(), HasSubstr("larger caches")) << above[i].ShortDebugString();
  }
  const auto below = Scaling("55.00", "1.818", "90.91");
  EXPECT_EQ(below[2].finding(), proto::REPRODUCED) << below[2].ShortDebugString();
  EXPECT_THAT(below[2].sentence(), Not(HasSubstr("larger caches")));
}

TEST(LimitsPlausibilityTest, ANumberThatDoesNotFollowIsFlagged) {
  const auto audited = Scaling("55.00", "2.345", "117.7");
  EXPECT_EQ(audited[2].finding(), proto::NOT_REPRODUCIBLE) << audited[2].ShortDebugString();
  EXPECT_THAT(audited[2].flag(), ElementsAre("superlinear_speedup"));
}

// 2 * 100 / 55 = 3.636: the slip explains why the speed-up is above two.
TEST(LimitsPlausibilityTest, ASlipIsFlagEnough) {
  const auto audited = Scaling("55.00", "3.6364", "90.91");
  EXPECT_THAT(audited[2].flag(), ElementsAre("counts_N_twice"));
}

TEST(LimitsPlausibilityTest, ASecondValueOfAComputedNumber) {
  proto::PublishedTables document = Times();
  AddTable(document, "right", proto::SPEEDUP, 4, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  proto::PublishedTable& text = *document.add_table();
  text.set_name("text");
  Add(text, proto::SPEEDUP, 2, 32, "1.6138");  // 40.123 / 25.789 = 1.5558
  const auto audited = AuditOf(document, "text");
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE) << audited[0].ShortDebugString();
  EXPECT_THAT(audited[0].flag(), ElementsAre("two_values_of_one_quantity"));
  EXPECT_THAT(audited[0].sentence(), HasSubstr("right prints 1.5558 for the same quantity"));
  EXPECT_THAT(AuditOf(document, "right")[0].flag(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::testing
