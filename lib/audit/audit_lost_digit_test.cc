// Speed-ups for which one digit of a time was left out.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the audit of the times of one and two devices and a speed-up, in one table.
std::vector<proto::AuditedValue> AuditOfSpeedup(const char* speedup, const char* one = "62.661095",
                                                const char* two = "44.222406") {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::EPOCH_SECONDS, 1, 32, one);
  Add(table, proto::EPOCH_SECONDS, 2, 32, two);
  Add(table, proto::SPEEDUP, 2, 32, speedup);
  return AuditOf(document, "t");
}

TEST(AuditLostDigitTest, ADigitOfEitherTime) {
  // 62.661095 / 44.222406 = 1.4169535, and 62.661095 / 44.22246 = 1.4169518: the plain quotient is believed.
  EXPECT_THAT(AuditOfSpeedup("1.41695")[2].flag(), IsEmpty());
  // 62.661095 / 44.2246, without 0 and 6, is no loss of one digit: 1.416883
  EXPECT_EQ(AuditOfSpeedup("1.416883")[2].finding(), proto::NOT_REPRODUCIBLE);
  // 62.61095 / 44.222406 = 1.4158196
  const auto base = AuditOfSpeedup("1.41582");
  EXPECT_EQ(base[2].finding(), proto::REPRODUCED) << base[2].ShortDebugString();
  EXPECT_THAT(base[2].flag(), ElementsAre("lost_digit"));
  EXPECT_DOUBLE_EQ(base[2].reproduced_by(0).value(), 62.61095 / 44.222406);
  EXPECT_THAT(base[2].sentence(), HasSubstr("of T_1 lost"));
  // 62.661095 / 4.222406 = 14.84014
  const auto divisor = AuditOfSpeedup("14.84014");
  EXPECT_THAT(divisor[2].flag(), ElementsAre("lost_digit")) << divisor[2].ShortDebugString();
  EXPECT_DOUBLE_EQ(divisor[2].reproduced_by(0).value(), 62.661095 / 4.222406);
}

// 62.661 / 42.72 = 1.46678, and 62.661 / 42.972 = 1.45818. Seven formulas and losses give numbers of this size, and
// each gives 0.7 % of the numbers with three digits.
TEST(AuditLostDigitTest, FewDigitsProveNoLoss) {
  EXPECT_EQ(AuditOfSpeedup("1.47", "62.661", "42.972")[2].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_THAT(AuditOfSpeedup("1.46678", "62.661", "42.972")[2].flag(), ElementsAre("lost_digit"));
}

// 62.661 / 42.97 = 1.458250. A time without its last decimal is rounded or cut off.
TEST(AuditLostDigitTest, TheLastDecimalIsNotLost) {
  EXPECT_EQ(AuditOfSpeedup("1.45825", "62.661", "42.972")[2].finding(), proto::NOT_REPRODUCIBLE);
}

// Each speed-up follows from its two times, 1.7851, 1.9612 and 1.9422, and also from times of four devices without their
// third digit: 16.164 / 9.05 = 1.7861, 9.849 / 5.02 = 1.9620, 10.012 / 5.15 = 1.9441.
TEST(AuditLostDigitTest, AQuotientOverTwoDevicesKeepsItsFlag) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  const struct {
    uint32_t batch;
    const char *two, *four, *speedup;
  } rows[] = {
      {32, "16.164", "9.055", "1.79"},
      {128, "9.849", "5.022", "1.96"},
      {512, "10.012", "5.155", "1.94"},
  };
  for (const auto& row : rows) {
    Add(table, proto::EPOCH_SECONDS, 2, row.batch, row.two);
    Add(table, proto::EPOCH_SECONDS, 4, row.batch, row.four);
    Add(table, proto::SPEEDUP, 4, row.batch, row.speedup);
    table.mutable_value(table.value_size() - 1)->set_base_devices(2);
  }
  for (const proto::AuditedValue& value : AuditOf(document, "t")) {
    if (value.published().quantity() == proto::SPEEDUP) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
      EXPECT_THAT(value.flag(), ElementsAre("base_is_not_one_device")) << value.ShortDebugString();
      EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr("T_2/T_N, times of t"));
    }
  }
}

}  // namespace
}  // namespace lockstep::testing
