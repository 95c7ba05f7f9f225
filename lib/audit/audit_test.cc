// The audit of documents made up in this file: a clean document raises no alarm, and each planted slip is found.
#include "lib/audit/audit.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AuditTest, ACleanDocumentGivesNoAlarm) {
  const std::vector<proto::AuditTable> tables = *Audit(Clean());
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      EXPECT_EQ(value.finding(), table.table() == "times" ? proto::GIVEN : proto::REPRODUCED)
          << value.ShortDebugString();
      EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
      EXPECT_FALSE(value.has_nearest());
    }
  }
}

TEST(AuditTest, EveryNumberIsThereInOrder) {
  const proto::PublishedTables document = Clean();
  const std::vector<proto::AuditTable> tables = *Audit(document);
  ASSERT_EQ(static_cast<int>(tables.size()), document.table_size());
  for (int t = 0; t < document.table_size(); ++t) {
    ASSERT_EQ(tables[t].value_size(), document.table(t).value_size());
    for (int i = 0; i < tables[t].value_size(); ++i) {
      EXPECT_EQ(tables[t].value(i).published().as_printed(), document.table(t).value(i).as_printed());
      EXPECT_THAT(tables[t].value(i).sentence(), ::testing::Not(IsEmpty()));
    }
  }
}

TEST(AuditTest, ReproducedValuesCarryTheConventionAndTheFullValue) {
  const proto::AuditedValue value = AuditOf(Clean(), "speed-up")[0];
  ASSERT_EQ(value.reproduced_by_size(), 1);
  EXPECT_EQ(value.reproduced_by(0).convention(), "T_1/T_N, times of times");
  EXPECT_DOUBLE_EQ(value.reproduced_by(0).value(), 40.123 / 25.789);
  EXPECT_NEAR(value.reproduced_by(0).ratio(), 1, 5e-5);  // half a unit of the fourth decimal of 1.56
  EXPECT_THAT(value.sentence(), HasSubstr("from 40.123, 25.789"));
}

TEST(AuditTest, OneDigitChangedInASpeedup) {
  proto::PublishedTables document = Clean();
  proto::PublishedValue& value = ValueOf(document, "speed-up", 1);  // 24.457 / 14.321 = 1.7078
  EXPECT_EQ(value.as_printed(), "1.7078");
  value.set_as_printed("1.7178");
  const auto audited = AuditOf(document, "speed-up");
  EXPECT_EQ(audited[1].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_DOUBLE_EQ(audited[1].nearest().value(), 24.457 / 14.321);
  EXPECT_NEAR(audited[1].nearest().ratio(), 1.7178 / 1.70777, 1e-5);  // 1.70777 has five digits
  EXPECT_THAT(audited[1].sentence(), HasSubstr("which gives 5 other numbers of this column"));
  EXPECT_EQ(audited[0].finding(), proto::REPRODUCED);
}

TEST(AuditTest, OneDigitChangedInACommunicationTime) {
  proto::PublishedTables document = Clean();
  ValueOf(document, "communication", 0).set_as_printed("5.7285");  // 25.789 - 20.0615 = 5.7275
  const auto audited = AuditOf(document, "communication");
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_DOUBLE_EQ(audited[0].nearest().value(), 25.789 - 40.123 / 2);
  EXPECT_THAT(audited[0].flag(), IsEmpty());  // the table has no total and no compute column next to it
}

TEST(AuditTest, OneDigitChangedInATimeSpoilsWhatIsMadeOfIt) {
  proto::PublishedTables document = Clean();
  for (proto::PublishedValue& value : *document.mutable_table(0)->mutable_value()) {
    if (value.as_printed() == "25.789") {
      value.set_as_printed("25.189");
    }
  }
  EXPECT_EQ(AuditOf(document, "speed-up")[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(AuditOf(document, "communication")[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(AuditOf(document, "compute")[0].finding(), proto::REPRODUCED);
}

TEST(AuditTest, SwappedRows) {
  proto::PublishedTables document = Clean();
  const std::string two = ValueOf(document, "speed-up", 0).as_printed(),
                    four = ValueOf(document, "speed-up", 3).as_printed();
  ValueOf(document, "speed-up", 0).set_as_printed(four);
  ValueOf(document, "speed-up", 3).set_as_printed(two);
  const auto audited = AuditOf(document, "speed-up");
  for (const int i : {0, 3}) {
    EXPECT_THAT(audited[i].flag(), ElementsAre("of_another_number_of_devices", "differs_from_its_table"));
    EXPECT_THAT(audited[i].sentence(), HasSubstr(i == 0 ? "N = 4 throughout" : "N = 2 throughout"));
  }
  EXPECT_EQ(audited[1].finding(), proto::REPRODUCED);
  EXPECT_THAT(audited[1].flag(), IsEmpty());
}

TEST(AuditTest, TheWholeTimeAsComputing) {
  proto::PublishedTables document = Times();
  AddTable(document, "computing", proto::COMPUTE_SECONDS, 3, [](uint32_t n, uint32_t b) { return T(n, b); });
  ExpectAll(AuditOf(document, "computing"), proto::REPRODUCED, "T_N of times", {"compute_is_whole_time"});
}

// The rows of two devices are right, and those of four use the formula of two.
TEST(AuditTest, TheFormulaOfTwoDevicesLeftForFour) {
  for (const auto quantity : {proto::COMPUTE_SECONDS, proto::COMMUNICATION_SECONDS}) {
    proto::PublishedTables document = Times();
    AddTable(document, "t", quantity, 4, [=](uint32_t n, uint32_t b) {
      return quantity == proto::COMPUTE_SECONDS ? T(1, b) / 2 : T(n, b) - T(1, b) / 2;
    });
    const auto audited = AuditOf(document, "t");
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
      const bool flagged =
          std::count(audited[i].flag().begin(), audited[i].flag().end(), "of_another_number_of_devices") > 0;
      EXPECT_EQ(flagged, i >= 3) << audited[i].ShortDebugString();
    }
  }
}

TEST(AuditTest, AnEpochTimesNCountsNTwice) {
  proto::PublishedTables document = Times();
  AddTable(document, "s", proto::SPEEDUP, 4, [](uint32_t n, uint32_t b) { return n * T(1, b) / T(n, b); });
  ExpectAll(AuditOf(document, "s"), proto::REPRODUCED, "N*T_1/T_N", {"counts_N_twice"});
}

TEST(AuditTest, ABaseOfTwoDevices) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  for (uint32_t b : kBatches) {
    Add(table, proto::SPEEDUP, 4, b, absl::StrFormat("%.4f", T(2, b) / T(4, b)));
  }
  ExpectAll(AuditOf(document, "s"), proto::REPRODUCED, "T_2/T_N", {"base_is_not_one_device"});
  for (proto::PublishedValue& value : *table.mutable_value()) {
    value.set_base_devices(2);  // declared openly, but still no speed-up over one device
  }
  ExpectAll(AuditOf(document, "s"), proto::REPRODUCED, "T_2/T_N", {"base_is_not_one_device"});
}

TEST(AuditTest, AStrongSpeedupIsRecognisedAndRight) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  Add(table, proto::SPEEDUP, 4, 32, absl::StrFormat("%.5f", T(1, 128) / T(4, 32)));
  Add(table, proto::SPEEDUP, 4, 128, absl::StrFormat("%.5f", T(1, 512) / T(4, 128)));
  const auto audited = AuditOf(document, "s");
  ExpectAll(audited, proto::REPRODUCED, "T_1(N*B)/T_N(B)", {});
  EXPECT_THAT(audited[0].sentence(), HasSubstr("strong scaling: the global batch is the same"));
}

TEST(AuditTest, TruncatedDigits) {
  proto::PublishedTables document = Times();
  AddTable(document, "s", proto::SPEEDUP, 4,
           [](uint32_t n, uint32_t b) { return std::floor(T(1, b) / T(n, b) * 1e4) / 1e4; });
  const auto audited = AuditOf(document, "s");
  int truncated = 0;
  for (const proto::AuditedValue& value : audited) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED);
    truncated += value.flag_size();
  }
  EXPECT_GT(truncated, 0);
  EXPECT_THAT(audited[1].flag(), ElementsAre("truncated_digits"));  // 1.707772...: 1.7077, not 1.7078
}

TEST(AuditTest, ComputeNotDividedByNGivesNegativeCommunication) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 3, [](uint32_t n, uint32_t b) { return T(n, b) - T(1, b); });
  ExpectAll(AuditOf(document, "c"), proto::REPRODUCED, "T_N - T_1, ",
            {"compute_not_divided_by_N", "negative_communication"});
}

TEST(AuditTest, PartsThatDoNotSum) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("split");
  for (uint32_t b : kBatches) {
    Add(table, proto::COMPUTE_SECONDS, 2, b, absl::StrFormat("%.3f", T(1, b) / 2));
    Add(table, proto::COMMUNICATION_SECONDS, 2, b, absl::StrFormat("%.3f", Communication(2, b) + (b == 128 ? 1 : 0)));
  }
  const auto audited = AuditOf(document, "split");
  EXPECT_THAT(audited[1].flag(), IsEmpty());
  EXPECT_EQ(audited[3].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_THAT(audited[3].flag(), ElementsAre("parts_do_not_sum"));
  EXPECT_THAT(audited[5].flag(), IsEmpty());
}

TEST(AuditTest, AStrayNumberOfManyDigitsIsBelievedAndOneOfFewIsNot) {
  proto::PublishedTables document = Clean();
  ValueOf(document, "speed-up", 0).set_as_printed(absl::StrFormat("%.7f", 2 * T(1, 32) / T(2, 32)));
  const auto many = AuditOf(document, "speed-up");
  EXPECT_EQ(many[0].finding(), proto::REPRODUCED);
  EXPECT_THAT(many[0].flag(), ElementsAre("counts_N_twice", "differs_from_its_table"));
  ValueOf(document, "speed-up", 0).set_as_printed("3");  // 2 * 40.123 / 25.789 = 3.11, and many other values round to 3
  const auto few = AuditOf(document, "speed-up");
  EXPECT_EQ(few[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_DOUBLE_EQ(few[0].nearest().value(), 40.123 / 25.789);
}

TEST(AuditTest, ASpeedupInPercent) {
  proto::PublishedTables document = Times();
  AddTable(document, "faster", proto::SPEEDUP_PERCENT, 2,
           [](uint32_t n, uint32_t b) { return (T(1, b) / T(n, b) - 1) * 100; });
  AddTable(document, "less time", proto::SPEEDUP_PERCENT, 2,
           [](uint32_t n, uint32_t b) { return (1 - T(n, b) / T(1, b)) * 100; });
  AddTable(document, "ratio", proto::SPEEDUP_PERCENT, 4, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  ExpectAll(AuditOf(document, "faster"), proto::REPRODUCED, "(S - 1) * 100, S = T_1/T_N", {});
  ExpectAll(AuditOf(document, "less time"), proto::REPRODUCED, "(1 - 1/S) * 100, S = T_1/T_N", {});
  ExpectAll(AuditOf(document, "ratio"), proto::REPRODUCED, "S, S = T_1/T_N", {"ratio_called_percent"});
}

TEST(AuditTest, ASpeedupOverAnotherBatch) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  Add(table, proto::SPEEDUP, 1, 512, absl::StrFormat("%.4f", T(1, 32) / T(1, 512)));
  table.mutable_value(0)->set_base_batch(32);
  ExpectAll(AuditOf(document, "s"), proto::REPRODUCED, "T_1(32)/T_N", {});
}

// 40.1 / 9.8 = 4.0918, but times that round to these may give up to 40.15 / 9.75 = 4.1179.
TEST(AuditTest, TimesMayHaveHadMoreDigitsThanArePrinted) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& times = *document.add_table();
  times.set_name("times");
  proto::PublishedTable& speedups = *document.add_table();
  speedups.set_name("s");
  const char* const n_times[] = {"25.7", "16.5", "12.3", "9.8"};
  const char* const printed[] = {"1.560", "2.430", "3.260", "4.100"};
  for (uint32_t i = 0; i < 4; ++i) {
    Add(times, proto::EPOCH_SECONDS, i + 2, 32, n_times[i]);
    Add(speedups, proto::SPEEDUP, i + 2, 32, printed[i]);
  }
  Add(times, proto::EPOCH_SECONDS, 1, 32, "40.1");
  const auto audited = AuditOf(document, "s");
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_THAT(audited[3].reproduced_by(0).convention(), HasSubstr("inputs before their rounding"));
  EXPECT_THAT(audited[3].flag(), IsEmpty());
  speedups.mutable_value(3)->set_as_printed("4.120");  // beyond the largest possible value
  EXPECT_EQ(AuditOf(document, "s")[3].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(AuditTest, ARepeatedNumberMustAgree) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("text");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "40.1");   // 40.123 rounded
  Add(table, proto::EPOCH_SECONDS, 1, 128, "24.4");  // 24.457 cut off
  Add(table, proto::EPOCH_SECONDS, 1, 512, "22.191");
  for (proto::PublishedValue& value : *table.mutable_value()) {
    value.set_restated(true);
  }
  const auto audited = AuditOf(document, "text");
  EXPECT_EQ(audited[0].finding(), proto::REPRODUCED);
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("truncated_digits"));
  EXPECT_EQ(audited[2].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_THAT(audited[2].flag(), ElementsAre("inconsistent_printing"));
  EXPECT_DOUBLE_EQ(audited[2].nearest().value(), 22.091);
}

TEST(AuditTest, ANumberMadeOfAnInconsistentOneIsReported) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& used = *document.add_table();
  used.set_name("times used");
  Add(used, proto::EPOCH_SECONDS, 1, 32, "40.173");
  used.mutable_value(0)->set_restated(true);
  proto::PublishedTable& compute = *document.add_table();
  compute.set_name("compute");
  Add(compute, proto::COMPUTE_SECONDS, 2, 32, "20.0865");
  const auto audited = AuditOf(document, "compute");
  EXPECT_EQ(audited[0].finding(), proto::REPRODUCED);
  EXPECT_THAT(audited[0].flag(), ElementsAre("inconsistent_printing"));
  EXPECT_THAT(audited[0].sentence(), HasSubstr("uses 40.173, but times prints 40.123"));
}

// Speed-ups with four decimals, from times printed with one: 40.1/25.8 is 1.5543, 40.123/25.789 is 1.5558.
TEST(AuditTest, AColumnWithMoreDigitsThanItsInputs) {
  proto::PublishedTables document = Times();
  for (proto::PublishedValue& time : *document.mutable_table(0)->mutable_value()) {
    time.set_as_printed(absl::StrFormat("%.1f", T(time.devices(), static_cast<uint32_t>(time.batch()))));
  }
  AddTable(document, "s", proto::SPEEDUP, 4, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  ExpectAll(AuditOf(document, "s"), proto::REPRODUCED, "T_1/T_N, times of times, inputs before their rounding", {});
  ValueOf(document, "s", 0).set_as_printed("1.5658");  // 40.15/25.75 = 1.5592
  EXPECT_EQ(AuditOf(document, "s")[0].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(AuditTest, ATimeOfASingleEpochIsNoInput) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& log = *document.add_table();
  log.set_name("log");
  Add(log, proto::EPOCH_SECONDS, 1, 32, "45.678");
  log.mutable_value(0)->set_epoch(1);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  Add(table, proto::SPEEDUP, 2, 32, absl::StrFormat("%.6f", 45.678 / 25.789));
  EXPECT_EQ(AuditOf(document, "s")[0].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(AuditTest, AnEmptyDocumentHasNoTables) { EXPECT_THAT(*Audit(proto::PublishedTables()), IsEmpty()); }

}  // namespace
}  // namespace lockstep::testing
