// The audit of numbers under linear scaling.
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

proto::PublishedTables Rates() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::ITEMS_PER_SECOND, 1, 0, "240");
  Add(table, proto::ITEMS_PER_SECOND, 2, 0, "464");
  Add(table, proto::ITEMS_PER_SECOND, 4, 0, "892");
  Add(table, proto::ITEMS_PER_SECOND, 8, 0, "1668");
  return document;
}

void AddIdeals(proto::PublishedTables& document, const char* of_eight) {
  proto::PublishedTable& table = *document.mutable_table(0);
  Add(table, proto::IDEAL_ITEMS_PER_SECOND, 1, 0, "240");
  Add(table, proto::IDEAL_ITEMS_PER_SECOND, 2, 0, "480");
  Add(table, proto::IDEAL_ITEMS_PER_SECOND, 4, 0, "960");
  Add(table, proto::IDEAL_ITEMS_PER_SECOND, 8, 0, of_eight);
}

TEST(AuditIdealTest, AnIdealRateIsNTimesTheRateOfOne) {
  proto::PublishedTables document = Rates();
  AddIdeals(document, "1920");
  const auto audited = AuditOf(document, "t");
  for (int i = 4; i < 8; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].reproduced_by(0).convention(), "N * R_1, rates of t");
    EXPECT_THAT(audited[i].flag(), IsEmpty());
  }
  EXPECT_DOUBLE_EQ(audited[7].reproduced_by(0).value(), 8 * 240);
}

TEST(AuditIdealTest, AMisprintIsFound) {
  proto::PublishedTables document = Rates();
  AddIdeals(document, "1929");
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[6].finding(), proto::REPRODUCED) << audited[6].ShortDebugString();
  EXPECT_EQ(audited[7].finding(), proto::NOT_REPRODUCIBLE) << audited[7].ShortDebugString();
  EXPECT_DOUBLE_EQ(audited[7].nearest().value(), 1920);
}

TEST(AuditIdealTest, WithoutABaseTheIdealRateIsGiven) {
  proto::PublishedTables document = Rates();
  document.mutable_table(0)->mutable_value()->DeleteSubrange(0, 1);
  Add(*document.mutable_table(0), proto::IDEAL_ITEMS_PER_SECOND, 8, 0, "1920");
  Add(*document.mutable_table(0), proto::EFFICIENCY_PERCENT, 8, 0, "86.9");  // 1668 / 1920
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[3].finding(), proto::GIVEN) << audited[3].ShortDebugString();
  EXPECT_EQ(audited[4].finding(), proto::REPRODUCED) << audited[4].ShortDebugString();
  EXPECT_THAT(audited[4].sentence(), HasSubstr("100 * R_N / ideal R_N, rates of t (from 1668, 1920)"));
}

TEST(AuditIdealTest, ARatePerDeviceIsABase) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::ITEMS_PER_SECOND_PER_DEVICE, 1, 32, "101.5");
  Add(table, proto::ITEMS_PER_SECOND_PER_DEVICE, 4, 32, "97.3");
  Add(table, proto::IDEAL_ITEMS_PER_SECOND, 4, 32, "406.0");
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_EQ(audited[2].reproduced_by(0).convention(), "N * R_1 per device, rates of t");
}

TEST(AuditIdealTest, SpeedupsAndTimes) {
  proto::PublishedTables document = Times();
  AddTable(document, "speed-up", proto::IDEAL_SPEEDUP, 1, [](uint32_t n, uint32_t) { return n; });
  AddTable(document, "time", proto::IDEAL_EPOCH_SECONDS, 3, [](uint32_t n, uint32_t b) { return T(1, b) / n; });
  ExpectAll(AuditOf(document, "speed-up"), proto::REPRODUCED, "N", {});
  ExpectAll(AuditOf(document, "time"), proto::REPRODUCED, "T_1 / (N), times of times", {});
  ValueOf(document, "speed-up", 4).set_as_printed("3.0");
  EXPECT_EQ(AuditOf(document, "speed-up")[4].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(AuditIdealTest, IdealRatesAreNoRates) {
  proto::PublishedTables document = Rates();
  AddIdeals(document, "1920");
  Add(*document.mutable_table(0), proto::SPEEDUP, 8, 0, "6.95");  // 1668 / 240
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[8].finding(), proto::REPRODUCED) << audited[8].ShortDebugString();
  EXPECT_EQ(audited[8].reproduced_by(0).convention(), "R_N/R_1, rates of t");
}

}  // namespace
}  // namespace lockstep::testing
