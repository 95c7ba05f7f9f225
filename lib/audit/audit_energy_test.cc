// The audit of energies and powers.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns times of one and four devices, 100.25 and 30.5 s, and their powers, 301.5 and 290.25 W, in one table.
proto::PublishedTables TimesAndPowers() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_images_per_epoch(50'000);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "100.25");
  Add(table, proto::EPOCH_SECONDS, 4, 32, "30.500");
  Add(table, proto::POWER_WATTS, 1, 32, "301.50");
  Add(table, proto::POWER_WATTS, 4, 32, "290.25");
  return document;
}

// Returns the audit of TimesAndPowers and of one quantity on one and four devices: the last two values.
std::vector<proto::AuditedValue> AuditOfEnergies(proto::PublishedQuantity quantity, const char* one, const char* four,
                                                 double unit_joules = 0) {
  proto::PublishedTables document = TimesAndPowers();
  Add(*document.mutable_table(0), quantity, 1, 32, one);
  Add(*document.mutable_table(0), quantity, 4, 32, four);
  for (int i : {4, 5}) {
    document.mutable_table(0)->mutable_value(i)->set_unit_joules(unit_joules);
  }
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[2].finding(), proto::GIVEN);  // the power
  return {audited[4], audited[5]};
}

void ExpectFollow(const std::vector<proto::AuditedValue>& audited, const std::string& convention) {
  for (const proto::AuditedValue& value : audited) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
    EXPECT_THAT(value.sentence(), HasSubstr(convention));
  }
}

TEST(AuditEnergyTest, PowerTimesTime) {
  // 301.5 * 100.25 = 30225.375; 290.25 * 30.5 = 8852.625, and 35410.5 on four devices
  ExpectFollow(AuditOfEnergies(proto::EPOCH_JOULES, "30225", "8853"), "P * T_N");
  ExpectFollow(AuditOfEnergies(proto::EPOCH_JOULES, "30225", "35411"), "N * P * T_N");
  // 30225.375 / 3600 = 8.395938; 8852.625 / 3600 = 2.459063
  ExpectFollow(AuditOfEnergies(proto::EPOCH_JOULES, "8.396", "2.459", 3600), "P * T_N");
}

// A counter may have measured the energy.
TEST(AuditEnergyTest, AMeasuredEnergyIsGiven) {
  for (const proto::AuditedValue& value : AuditOfEnergies(proto::EPOCH_JOULES, "31844", "9120")) {
    EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
  }
}

TEST(AuditEnergyTest, EnergyOfAnImage) {
  // 30225.375 / 50000 = 0.6045075; 8852.625 / 50000 = 0.1770525
  ExpectFollow(AuditOfEnergies(proto::ITEM_JOULES, "0.60451", "0.17705"), "P * T_N / images");
  const auto wrong = AuditOfEnergies(proto::ITEM_JOULES, "0.60451", "0.19125");
  EXPECT_EQ(wrong[1].finding(), proto::NOT_REPRODUCIBLE) << wrong[1].ShortDebugString();
}

TEST(AuditEnergyTest, ARatioOfEnergies) {
  for (const bool saving : {false, true}) {
    proto::PublishedTables document = TimesAndPowers();
    Add(*document.mutable_table(0), proto::EPOCH_JOULES, 1, 32, "31844");
    Add(*document.mutable_table(0), proto::EPOCH_JOULES, 4, 32, "36120");
    Add(*document.mutable_table(0), proto::ENERGY_RATIO, 1, 32, "1.000");
    // 36120 / 31844 = 1.134280; 31844 / 36120 = 0.881617
    Add(*document.mutable_table(0), proto::ENERGY_RATIO, 4, 32, saving ? "0.8816" : "1.1343");
    const auto audited = AuditOf(document, "t");
    EXPECT_EQ(audited[6].sentence(), "The base case itself.");
    EXPECT_EQ(audited[7].finding(), proto::REPRODUCED) << audited[7].ShortDebugString();
    EXPECT_THAT(audited[7].sentence(), HasSubstr(saving ? "E_1/E_N" : "E_N/E_1"));
  }
}

TEST(AuditEnergyTest, EnergyOfARun) {
  proto::PublishedTables document = TimesAndPowers();
  document.mutable_claims()->set_epochs(90);
  Add(*document.mutable_table(0), proto::EPOCH_JOULES, 1, 32, "31844");
  Add(*document.mutable_table(0), proto::EPOCH_JOULES, 4, 32, "36120");
  Add(*document.mutable_table(0), proto::RUN_JOULES, 1, 32, "2865960");  // 31844 * 90
  Add(*document.mutable_table(0), proto::RUN_JOULES, 4, 32, "3250800");  // 36120 * 90
  const auto audited = AuditOf(document, "t");
  ExpectFollow({audited[6], audited[7]}, "E * epochs");
}

}  // namespace
}  // namespace lockstep::testing
