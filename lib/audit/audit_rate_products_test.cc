// Rates that are products of another rate and a printed speed-up, and speed-ups over a rate of another table.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the times of 1, 2 and 4 devices (40.123, 25.789 and 16.543 s at batch 32), their speed-ups with two decimals,
// and a table of rates.
proto::PublishedTables WithRates(const std::vector<std::pair<uint32_t, const char*>>& rates) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& speedups = *document.add_table();
  speedups.set_name("s");
  Add(speedups, proto::SPEEDUP, 2, 32, "1.56");  // 40.123 / 25.789 = 1.5558
  Add(speedups, proto::SPEEDUP, 4, 32, "2.43");  // 40.123 / 16.543 = 2.4254
  proto::PublishedTable& table = *document.add_table();
  table.set_name("r");
  for (const auto& [devices, digits] : rates) {
    Add(table, proto::ITEMS_PER_SECOND, devices, 32, digits);
  }
  return document;
}

TEST(AuditRateProductsTest, ARateTimesAPrintedSpeedup) {
  // 50000 / 40.123 = 1246.168; 1246.17 * 1.56 = 1944.0252; 1246.17 * 2.43 = 3028.1931
  const auto audited = AuditOf(WithRates({{1, "1246.17"}, {2, "1944.03"}, {4, "3028.19"}}), "r");
  const double values[] = {50'000 / 40.123, 1246.17 * 1.56, 1246.17 * 2.43};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_THAT(audited[i].flag(), IsEmpty()) << audited[i].ShortDebugString();
    EXPECT_NEAR(audited[i].reproduced_by(0).value(), values[i], 1e-9);
  }
  EXPECT_THAT(audited[1].sentence(), HasSubstr("R_1 * S, R_1 of r, S of s (from 1246.17, 1.56)"));
}

// 50000 / 25.789 = 1938.811; 50000 / 16.543 = 3022.426
TEST(AuditRateProductsTest, ImagesOverTimeArePlainer) {
  for (const proto::AuditedValue& value : AuditOf(WithRates({{1, "1246.17"}, {2, "1938.81"}, {4, "3022.43"}}), "r")) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr("images / T_N"));
  }
  const auto wrong = AuditOf(WithRates({{1, "1246.17"}, {2, "1990.55"}, {4, "3022.43"}}), "r");
  EXPECT_EQ(wrong[1].finding(), proto::NOT_REPRODUCIBLE) << wrong[1].ShortDebugString();
}

// Without times the rates were measured, whatever the speed-ups are.
TEST(AuditRateProductsTest, MeasuredRatesAreGiven) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("r");
  Add(table, proto::ITEMS_PER_SECOND, 1, 32, "1246.17");
  Add(table, proto::ITEMS_PER_SECOND, 2, 32, "1944.03");
  Add(table, proto::SPEEDUP, 2, 32, "1.56");
  const auto audited = AuditOf(document, "r");
  EXPECT_EQ(audited[0].finding(), proto::GIVEN);
  EXPECT_EQ(audited[1].finding(), proto::GIVEN);
}

// With drop_last, 50,000 images are 1562 whole steps of 32, 781 of 64 and 390 of 128: 49984, 49984 and 49920 images.
TEST(AuditRateProductsTest, ImagesOfWholeSteps) {
  // 49984 / 40.123 = 1245.769; 49984 / 25.789 = 1938.191; 49920 / 16.543 = 3017.591
  const auto audited = AuditOf(WithRates({{1, "1245.77"}, {2, "1938.19"}, {4, "3017.59"}}), "r");
  const double values[] = {49'984 / 40.123, 49'984 / 25.789, 49'920 / 16.543};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_THAT(audited[i].flag(), IsEmpty()) << audited[i].ShortDebugString();
    EXPECT_NEAR(audited[i].reproduced_by(0).value(), values[i], 1e-9);
    EXPECT_THAT(audited[i].sentence(), HasSubstr("images of whole steps / T_N"));
  }
}

TEST(AuditRateProductsTest, ABaseRateOfAnotherTable) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& base = *document.add_table();
  base.set_name("base");
  Add(base, proto::ITEMS_PER_SECOND, 1, 32, "1246.17");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("r");
  Add(table, proto::ITEMS_PER_SECOND, 2, 32, "1990.55");
  Add(table, proto::ITEMS_PER_SECOND, 4, 32, "3022.43");
  Add(table, proto::SPEEDUP, 2, 32, "1.5973");  // 1990.55 / 1246.17 = 1.597334
  Add(table, proto::SPEEDUP, 4, 32, "2.4254");  // 3022.43 / 1246.17 = 2.425375
  const auto audited = AuditOf(document, "r");
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_THAT(audited[3].sentence(), HasSubstr("R_N/R_1, base of base, R_N of r (from 1246.17, 3022.43)"));
  EXPECT_THAT(audited[3].flag(), IsEmpty());
}

// 1990.55 / 1246.17 = 1.597334, but the table has a base rate of its own: 1990.55 / 1300.00 = 1.531192.
TEST(AuditRateProductsTest, TheBaseRateOfTheSameTableIsTaken) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& base = *document.add_table();
  base.set_name("base");
  Add(base, proto::ITEMS_PER_SECOND, 1, 32, "1246.17");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("r");
  Add(table, proto::ITEMS_PER_SECOND, 1, 32, "1300.00");
  Add(table, proto::ITEMS_PER_SECOND, 2, 32, "1990.55");
  Add(table, proto::SPEEDUP, 2, 32, "1.5973");
  EXPECT_EQ(AuditOf(document, "r")[2].finding(), proto::NOT_REPRODUCIBLE);
  document.mutable_table(1)->mutable_value(2)->set_as_printed("1.5312");
  EXPECT_EQ(AuditOf(document, "r")[2].finding(), proto::REPRODUCED);
}

}  // namespace
}  // namespace lockstep::testing
