// The audit of times in minutes and hours: the digits show the rounding in their own unit.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns times of 1, 2 and 4 devices in one unit, and a speed-up of 4 devices in the same table.
proto::PublishedTables TimesAndSpeedup(double unit_seconds, const char* one, const char* four, const char* speedup) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::EPOCH_SECONDS, 1, 32, one);
  Add(table, proto::EPOCH_SECONDS, 4, 32, four);
  for (proto::PublishedValue& value : *table.mutable_value()) {
    value.set_unit_seconds(unit_seconds);
  }
  Add(table, proto::SPEEDUP, 4, 32, speedup);
  return document;
}

TEST(AuditMinutesTest, ASpeedupOfMinutesFollows) {
  // 52.37 / 14.12 = 3.70892
  const auto audited = AuditOf(TimesAndSpeedup(60, "52.37", "14.12", "3.709"), "t");
  EXPECT_EQ(audited[0].finding(), proto::GIVEN);
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_THAT(audited[2].sentence(), HasSubstr("(from 52.37 min, 14.12 min)"));
  EXPECT_THAT(audited[2].flag(), IsEmpty());
  const auto wrong = AuditOf(TimesAndSpeedup(60, "52.37", "14.12", "3.790"), "t");
  EXPECT_EQ(wrong[2].finding(), proto::NOT_REPRODUCIBLE) << wrong[2].ShortDebugString();
}

TEST(AuditMinutesTest, ALastDigitOfHoursIsManySeconds) {
  // 1.5 h is 1.45 to 1.55 h, 0.4 h is 0.35 to 0.45 h: quotients from 3.22 to 4.43. 3.60 follows within this rounding
  // from the times before they were rounded, but with so wide a range it could be chance; it is not called wrong.
  const auto audited = AuditOf(TimesAndSpeedup(3600, "1.5", "0.4", "3.60"), "t");
  EXPECT_NE(audited[2].finding(), proto::NOT_REPRODUCIBLE) << audited[2].ShortDebugString();
}

TEST(AuditMinutesTest, MinutesNextToSeconds) {
  proto::PublishedTables document = TimesAndSpeedup(60, "52.37", "14.12", "3.709");
  Add(*document.mutable_table(0), proto::COMPUTE_SECONDS, 4, 32, "785.55");  // 52.37 * 60 / 4
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_DOUBLE_EQ(audited[3].reproduced_by(0).value(), 785.55);
}

}  // namespace
}  // namespace lockstep::testing
