// The audit on documents made here: a clean one gives no alarm, and each planted slip is found.
#include "lib/audit/audit.h"

#include <cmath>
#include <functional>
#include <map>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/published_check.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kParameters = 1'000'000;
constexpr double kImages = 50'000;
constexpr double kPeak = 40e9;
const uint32_t kRanks[] = {2, 4};
const uint32_t kBatches[] = {32, 128, 512};

// Epoch seconds, by devices and batch. T_1(128) and T_1(512) serve as strong base cases, too.
const std::map<std::pair<uint32_t, uint32_t>, double> kTimes = {
    {{1, 32}, 40.123},  {{1, 128}, 24.457}, {{1, 512}, 22.091}, {{2, 32}, 25.789}, {{2, 128}, 14.321},
    {{2, 512}, 12.345}, {{4, 32}, 16.543},  {{4, 128}, 9.876},  {{4, 512}, 7.654}};

double T(uint32_t ranks, uint32_t batch) { return kTimes.at({ranks, batch}); }
double Communication(uint32_t n, uint32_t b) { return T(n, b) - T(1, b) / n; }
double Bytes(uint32_t n) { return 2.0 * (n - 1) / n * kParameters * 4; }
double Bandwidth(uint32_t n, uint32_t b) { return Bytes(n) * kImages / (b * n) / Communication(n, b); }

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint32_t batch,
         const std::string& as_printed) {
  proto::PublishedValue& value = *table.add_value();
  value.set_quantity(quantity);
  value.set_devices(devices);
  value.set_batch(batch);
  value.set_as_printed(as_printed);
}

using Formula = std::function<double(uint32_t n, uint32_t b)>;

// A table of one quantity over all ranks and batches.
void AddTable(proto::PublishedTables& document, const std::string& name, proto::PublishedQuantity quantity,
              int decimals, const Formula& formula) {
  proto::PublishedTable& table = *document.add_table();
  table.set_name(name);
  for (uint32_t n : kRanks) {
    for (uint32_t b : kBatches) {
      Add(table, quantity, n, b, absl::StrFormat("%.*f", decimals, formula(n, b)));
    }
  }
}

// Only the times and what the document says of itself.
proto::PublishedTables Times() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_parameter_count(static_cast<uint64_t>(kParameters));
  document.mutable_claims()->set_images_per_epoch(static_cast<uint64_t>(kImages));
  document.mutable_claims()->set_bytes_per_gigabyte(1e9);
  document.mutable_claims()->set_batch("per_device");
  document.mutable_claims()->set_peak_bytes_per_second(kPeak);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("times");
  for (const auto& [place, seconds] : kTimes) {
    Add(table, proto::EPOCH_SECONDS, place.first, place.second, absl::StrFormat("%.3f", seconds));
  }
  return document;
}

proto::PublishedTables Clean() {
  proto::PublishedTables document = Times();
  AddTable(document, "speed-up", proto::SPEEDUP, 4, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  AddTable(document, "compute", proto::COMPUTE_SECONDS, 3, [](uint32_t n, uint32_t b) { return T(1, b) / n; });
  AddTable(document, "communication", proto::COMMUNICATION_SECONDS, 4, Communication);
  AddTable(document, "bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  AddTable(document, "utilisation", proto::UTILIZATION_PERCENT, 5,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / kPeak * 100; });
  return document;
}

proto::PublishedValue& ValueOf(proto::PublishedTables& document, const std::string& table, int i) {
  for (proto::PublishedTable& t : *document.mutable_table()) {
    if (t.name() == table) {
      return *t.mutable_value(i);
    }
  }
  ADD_FAILURE() << "no table " << table;
  return *document.mutable_table(0)->mutable_value(0);
}

// All that was found of one table.
std::vector<proto::AuditedValue> AuditOf(const proto::PublishedTables& document, const std::string& table) {
  EXPECT_THAT(CheckPublishedTables(document), IsOk());
  for (const proto::AuditTable& audited : Audit(document)) {
    if (audited.table() == table) {
      return {audited.value().begin(), audited.value().end()};
    }
  }
  ADD_FAILURE() << "no table " << table;
  return {};
}

void ExpectAll(const std::vector<proto::AuditedValue>& values, proto::Finding finding, const std::string& convention,
               const std::vector<std::string>& flags) {
  EXPECT_FALSE(values.empty());
  for (const proto::AuditedValue& value : values) {
    EXPECT_EQ(value.finding(), finding) << value.ShortDebugString();
    EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr(convention));
    EXPECT_THAT(value.flag(), ::testing::ElementsAreArray(flags)) << value.ShortDebugString();
  }
}

TEST(AuditTest, ACleanDocumentGivesNoAlarm) {
  for (const proto::AuditTable& table : Audit(Clean())) {
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
  const std::vector<proto::AuditTable> tables = Audit(document);
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
  EXPECT_NEAR(audited[1].nearest().ratio(), 1.7178 / 1.70777, 1e-5);  // 1.70777: five digits
  EXPECT_THAT(audited[1].sentence(), HasSubstr("which gives 5 other numbers of this column"));
  EXPECT_EQ(audited[0].finding(), proto::REPRODUCED);
}

TEST(AuditTest, OneDigitChangedInACommunicationTime) {
  proto::PublishedTables document = Clean();
  ValueOf(document, "communication", 0).set_as_printed("5.7285");  // 25.789 - 20.0615 = 5.7275
  const auto audited = AuditOf(document, "communication");
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_DOUBLE_EQ(audited[0].nearest().value(), 25.789 - 40.123 / 2);
  EXPECT_THAT(audited[0].flag(), IsEmpty());  // the table beside it has no total and no compute column
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
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(audited[3].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(audited[1].finding(), proto::REPRODUCED);
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
    value.set_base_devices(2);  // said openly: still no speed-up over one
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

TEST(AuditTest, RoundedIntermediates) {
  proto::PublishedTables document = Times();
  const auto rounded = [](uint32_t n, uint32_t b) { return std::round(Communication(n, b) * 100) / 100; };
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 2, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [&](uint32_t n, uint32_t b) { return Bytes(n) * kImages / (b * n) / rounded(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "intermediates as printed", {"rounded_intermediates"});
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

struct BandwidthSlip {
  const char* flag;
  const char* convention;
  double (*factor)(uint32_t n, uint32_t b);  // what the slip multiplies the right bytes per second by
};

class BandwidthSlipTest : public ::testing::TestWithParam<BandwidthSlip> {};

TEST_P(BandwidthSlipTest, IsNamed) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9 * GetParam().factor(n, b); });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, GetParam().convention, {GetParam().flag});
}

INSTANTIATE_TEST_SUITE_P(
    All, BandwidthSlipTest,
    ::testing::Values(
        BandwidthSlip{"iterations_forgotten", "1 iteration", [](uint32_t n, uint32_t b) { return b * n / kImages; }},
        BandwidthSlip{"iterations_not_divided_by_N", "images/B ", [](uint32_t n, uint32_t) { return double{1} * n; }},
        BandwidthSlip{"elements_not_bytes", "2(N-1)/N * X", [](uint32_t, uint32_t) { return 0.25; }},
        BandwidthSlip{"bits_not_bytes", "32 bits * X", [](uint32_t, uint32_t) { return 8.0; }},
        BandwidthSlip{"allreduce_factor_missing", "4 bytes * X = 1000000 *",
                      [](uint32_t n, uint32_t) { return n / (2.0 * (n - 1)); }},
        BandwidthSlip{"parameter_count_not_the_claimed", "X = 11689512", [](uint32_t, uint32_t) { return 11.689512; }},
        BandwidthSlip{"GiB_as_GB", "GB = 2^30", [](uint32_t, uint32_t) { return 1e9 / 1073741824; }}),
    [](const auto& info) { return std::string(info.param.flag); });

TEST(AuditTest, IterationsRoundedUpAreRightAndSaySo) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bytes(n) * std::ceil(kImages / (b * n)) / Communication(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "ceil(images/(B*N))", {});
}

TEST(AuditTest, ATotalBatchIsSharedByTheDevices) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_batch("total");
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "right", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) * n / 1e9; });
  AddTable(document, "wrong", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "right"), proto::REPRODUCED, "images/B /", {});
  ExpectAll(AuditOf(document, "wrong"), proto::REPRODUCED, "images/(B*N)", {"total_batch_taken_per_device"});
}

TEST(AuditTest, TheTextSaysGiBAndTheNumbersAreGB) {
  proto::PublishedTables document = Clean();
  document.mutable_claims()->set_bytes_per_gigabyte(1073741824);
  ExpectAll(AuditOf(document, "bandwidth"), proto::REPRODUCED, "GB = 1e9", {"text_claims_GiB_prints_GB"});
}

TEST(AuditTest, GiBThatTheTextStatesIsNoSlip) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_bytes_per_gigabyte(1073741824);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1073741824; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "GB = 2^30", {});
}

TEST(AuditTest, FewDigitsAndNoClaimsAreAmbiguous) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->clear_bytes_per_gigabyte();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("b");
  Add(table, proto::BANDWIDTH_GIGABYTES_PER_SECOND, 2, 32, "0.5");  // 0.5456 GB/s, 0.5081 GiB/s
  const auto audited = AuditOf(document, "b");
  EXPECT_EQ(audited[0].finding(), proto::AMBIGUOUS);
  EXPECT_GT(audited[0].reproduced_by_size(), 1);
  EXPECT_THAT(audited[0].reproduced_by(0).convention(), HasSubstr("GB = 1e9"));  // the plainest first
  EXPECT_THAT(audited[0].flag(), IsEmpty());                                     // no slip is common to all
}

TEST(AuditTest, AStrayNumberOfManyDigitsIsBelievedAndOneOfFewIsNot) {
  proto::PublishedTables document = Clean();
  ValueOf(document, "speed-up", 0).set_as_printed(absl::StrFormat("%.7f", 2 * T(1, 32) / T(2, 32)));
  const auto many = AuditOf(document, "speed-up");
  EXPECT_EQ(many[0].finding(), proto::REPRODUCED);
  EXPECT_THAT(many[0].flag(), ElementsAre("counts_N_twice", "differs_from_its_table"));
  ValueOf(document, "speed-up", 0).set_as_printed("3");  // 2 * 40.123 / 25.789 = 3.11, and much else rounds to 3
  const auto few = AuditOf(document, "speed-up");
  EXPECT_EQ(few[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_DOUBLE_EQ(few[0].nearest().value(), 40.123 / 25.789);
}

TEST(AuditTest, AColumnOfNonsenseIsNotExplainedByCoincidences) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  // Few digits, no meaning.
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 0, [](uint32_t n, uint32_t b) { return 3.0 * n + b; });
  for (const proto::AuditedValue& value : AuditOf(document, "b")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();
    EXPECT_TRUE(value.has_nearest());
  }
}

TEST(AuditTest, ABatchInThePlaceOfBytesIsNoBandwidth) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 0,
           [](uint32_t n, uint32_t b) { return 2.0 * (n - 1) / n * b; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "2(N-1)/N * B",
            {"batch_counted_as_bytes", "not_divided_by_time"});
}

TEST(AuditTest, BytesThatNoTimeDividesAreNoBandwidth) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t) { return Bytes(n) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "2(N-1)/N * 4 bytes * X = 1000000, GB = 1e9",
            {"not_divided_by_time"});
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

// 2(N-1)/N * 1e6 elements, and the GB of it, in an iteration (no batch) and in an epoch.
TEST(AuditTest, TrafficIsCountedToo) {
  proto::PublishedTables document = Times();
  AddTable(document, "elements", proto::TRAFFIC_ELEMENTS, 0,
           [](uint32_t n, uint32_t b) { return Bytes(n) / 4 * std::ceil(kImages / (b * n)); });
  AddTable(document, "gigabytes", proto::TRAFFIC_GIGABYTES, 5,
           [](uint32_t n, uint32_t b) { return Bytes(n) * std::ceil(kImages / (b * n)) / 1e9; });
  proto::PublishedTable& once = *document.add_table();
  once.set_name("iteration");
  Add(once, proto::TRAFFIC_GIGABYTES, 2, 0, "0.00373");  // 4e6 / 2^30 = 0.0037253
  Add(once, proto::TRAFFIC_GIGABYTES, 4, 0, "0.00559");  // 6e6 / 2^30 = 0.0055879
  ExpectAll(AuditOf(document, "elements"), proto::REPRODUCED, "2(N-1)/N * X = 1000000 * ceil(images/(B*N))", {});
  ExpectAll(AuditOf(document, "gigabytes"), proto::REPRODUCED, "GB = 1e9", {});
  ExpectAll(AuditOf(document, "iteration"), proto::REPRODUCED, "1 iteration, GB = 2^30", {"GiB_as_GB"});
}

TEST(AuditTest, ABandwidthMadeOfRoundedTraffic) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& once = *document.add_table();
  once.set_name("iteration");
  Add(once, proto::TRAFFIC_GIGABYTES, 2, 0, "0.004");
  Add(once, proto::TRAFFIC_GIGABYTES, 4, 0, "0.01");  // 0.006
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return (n == 2 ? 0.004 : 0.01) * kImages / (b * n) / Communication(n, b); });
  const auto audited = AuditOf(document, "b");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].flag_size(), i < 3 ? 0 : 1) << audited[i].ShortDebugString();
  }
  EXPECT_THAT(audited[3].flag(), ElementsAre("rounded_intermediates"));
  EXPECT_THAT(audited[3].sentence(), HasSubstr(", 0.01)"));
}

TEST(AuditTest, ABandwidthWithoutAPrintedCommunicationTime) {
  proto::PublishedTables document = Times();
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "T_comm = T_N - T_1/N, times of times", {});
}

TEST(AuditTest, AParameterCountThatTheCodeDoesNotHave) {
  proto::PublishedTables document = Clean();
  document.mutable_facts()->set_parameter_count(900'000);
  ExpectAll(AuditOf(document, "bandwidth"), proto::REPRODUCED, "X = 1000000",
            {"parameter_count_not_the_trained_model"});
}

// 40.1 / 9.8 = 4.0918, but times that round to these may give anything up to 40.15 / 9.75 = 4.1179.
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
  speedups.mutable_value(3)->set_as_printed("4.120");  // beyond
  EXPECT_EQ(AuditOf(document, "s")[3].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(AuditTest, TimesOfWholeSeconds) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("times");
  for (uint32_t n : {1, 2, 3}) {
    Add(table, proto::EPOCH_SECONDS, n, 32, absl::StrFormat("%.1f", 40.0 / n - std::fmod(40.0 / n, 1.0)));
  }
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());  // three may be by chance
  Add(table, proto::EPOCH_SECONDS, 4, 32, "10.0");
  EXPECT_THAT(AuditOf(document, "times")[3].flag(), ElementsAre("whole_second_clock"));
  EXPECT_THAT(AuditOf(document, "times")[3].sentence(), HasSubstr("off by 10.0 %"));
  table.mutable_value(3)->set_as_printed("10.1");
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());
}

TEST(AuditTest, ABatchBeyondTheData) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("large");
  Add(table, proto::EPOCH_SECONDS, 1, 50000, "9.1");
  Add(table, proto::EPOCH_SECONDS, 1, 50001, "9.2");
  Add(table, proto::EPOCH_SECONDS, 2, 25001, "9.3");
  auto audited = AuditOf(document, "large");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("batch_beyond_the_data"));
  EXPECT_THAT(audited[2].flag(), ElementsAre("batch_beyond_the_data", "no_one_device_time"));
  document.mutable_claims()->set_batch("total");
  EXPECT_THAT(AuditOf(document, "large")[2].flag(), ElementsAre("no_one_device_time"));
}

TEST(AuditTest, ABatchThatIsNotWhatItsLabelSays) {
  proto::PublishedTables document = Times();
  document.mutable_facts()->set_batch("per_device");
  EXPECT_THAT(AuditOf(document, "times")[4].flag(), IsEmpty());
  document.mutable_facts()->set_batch("total");
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());  // one device: the same
  EXPECT_THAT(AuditOf(document, "times")[4].flag(), ElementsAre("batch_not_as_labelled"));
}

TEST(AuditTest, TwoTimesWithUnlikeLoaders) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("again");
  Add(table, proto::EPOCH_SECONDS, 1, 128, "25.7");
  table.set_loader_workers(0);
  EXPECT_THAT(AuditOf(document, "again")[0].flag(), ElementsAre("two_values_of_one_quantity"));
  document.mutable_table(0)->set_loader_workers(2);
  const auto audited = AuditOf(document, "again");
  EXPECT_THAT(audited[0].flag(), ElementsAre("two_values_of_one_quantity", "loader_workers_differ"));
  EXPECT_THAT(audited[0].sentence(), HasSubstr("again loads data with 0 workers, times with 2"));
}

TEST(AuditTest, AUtilisationWithoutAPeakCannotBeRecomputed) {
  proto::PublishedTables document = Clean();
  document.mutable_claims()->clear_peak_bytes_per_second();
  for (const proto::AuditedValue& value : AuditOf(document, "utilisation")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE);
    EXPECT_FALSE(value.has_nearest());
    EXPECT_THAT(value.sentence(), HasSubstr("inputs are not in the document"));
  }
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

TEST(AuditTest, ANumberMadeOfAnInconsistentOneSaysSo) {
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

TEST(AuditTest, ATimeBelowWhatThePeakAllows) {
  proto::PublishedTables document = Times();
  document.mutable_facts()->set_training_flops_per_image(1e9);  // 50,000 images: 5e13
  document.mutable_facts()->set_peak_flops_per_second(2e12);    // 25 s on one device, 12.5 on two, 6.25 on four
  const auto audited = AuditOf(document, "times");
  for (const proto::AuditedValue& value : audited) {
    const bool too_fast = value.published().as_printed() == "24.457" || value.published().as_printed() == "22.091" ||
                          value.published().as_printed() == "12.345";
    EXPECT_EQ(value.flag_size() == 1, too_fast) << value.ShortDebugString();
    EXPECT_EQ(value.finding(), proto::GIVEN);
  }
  EXPECT_THAT(audited[1].flag(), ElementsAre("clocks_most_likely_not_synchronised"));
}

TEST(AuditTest, LoadingDataTakesNoNegativeTime) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("without loading");
  Add(table, proto::STEP_SECONDS, 1, 32, "39.9");
  Add(table, proto::STEP_SECONDS, 1, 128, "24.9");  // with loading: 24.457
  const auto audited = AuditOf(document, "times");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("with_loading_faster_than_without"));
}

TEST(AuditTest, OneQuantityPrintedTwice) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("again");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "40.1");   // the same number, fewer digits
  Add(table, proto::EPOCH_SECONDS, 1, 128, "25.7");  // another one
  const auto audited = AuditOf(document, "again");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("two_values_of_one_quantity"));
  EXPECT_THAT(AuditOf(document, "times")[1].flag(), Contains("two_values_of_one_quantity"));
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

TEST(AuditTest, AnEmptyDocumentHasNoTables) { EXPECT_THAT(Audit(proto::PublishedTables()), IsEmpty()); }

}  // namespace
}  // namespace lockstep
