// The audit of the published hand-ins, against values worked out here by plain arithmetic on the documents' digits.
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Relative; a handful of double operations on either side.
constexpr double kArithmetic = 1e-12;

std::vector<proto::AuditTable> AuditSeed(const std::string& name) {
  const auto file = ReadPublishedTables("data/published/" + name);
  EXPECT_THAT(file, IsOk());
  return Audit(file->tables);
}

// One printed number. `digits` tells it apart where quantity, devices and batch do not.
struct Expected {
  const char* table;
  proto::PublishedQuantity quantity;
  uint32_t devices;
  uint32_t batch;
  const char* digits;
  double value;            // by hand
  const char* convention;  // part of the convention's text
};

const proto::AuditedValue* Find(const std::vector<proto::AuditTable>& tables, const std::string& table,
                                proto::PublishedQuantity quantity, uint32_t devices, uint32_t batch,
                                const std::string& digits) {
  for (const proto::AuditTable& audited : tables) {
    for (const proto::AuditedValue& value : audited.value()) {
      const proto::PublishedValue& p = value.published();
      if (audited.table() == table && p.quantity() == quantity && p.devices() == devices && p.batch() == batch &&
          p.as_printed() == digits) {
        return &value;
      }
    }
  }
  ADD_FAILURE() << table << " has no " << digits;
  return nullptr;
}

void ExpectReproduced(const std::vector<proto::AuditTable>& tables, const Expected& e) {
  SCOPED_TRACE(std::string(e.table) + ", " + e.digits);
  const proto::AuditedValue* value = Find(tables, e.table, e.quantity, e.devices, e.batch, e.digits);
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->finding(), proto::REPRODUCED) << value->sentence();
  ASSERT_EQ(value->reproduced_by_size(), 1);
  EXPECT_NEAR(value->reproduced_by(0).value(), e.value, kArithmetic * std::abs(e.value));
  EXPECT_THAT(value->reproduced_by(0).convention(), HasSubstr(e.convention));
}

std::map<proto::Finding, int> CountFindings(const std::vector<proto::AuditTable>& tables) {
  std::map<proto::Finding, int> counts;
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      ++counts[value.finding()];
    }
  }
  return counts;
}

// Every flag of a document with the number of values that carry it.
std::map<std::string, int> CountFlags(const std::vector<proto::AuditTable>& tables) {
  std::map<std::string, int> counts;
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      for (const std::string& flag : value.flag()) {
        ++counts[flag];
      }
    }
  }
  return counts;
}

TEST(Seed001Test, EveryComputedNumber) {
  const auto tables = AuditSeed("seed_001.textproto");
  const auto kSpeedup = proto::SPEEDUP;
  const auto kComm = proto::COMMUNICATION_SECONDS;
  const auto kBandwidth = proto::BANDWIDTH_GIGABYTES_PER_SECOND;
  const Expected expected[] = {
      {"Q2", kSpeedup, 2, 32, "1.41695", 62.661095 / 44.222406, "T_1/T_N, times of Q2"},
      {"Q2", kSpeedup, 2, 128, "1.38191", 16.937219 / 12.256314, "digits cut off"},
      {"Q2", kSpeedup, 4, 32, "2.21091", 62.661095 / 28.341740, "T_1/T_N"},
      {"Q2", kSpeedup, 4, 128, "2.04745", 16.937219 / 8.272321, "digits cut off"},
      {"Q2", kSpeedup, 4, 512, "1.367682", 4.946042 / 3.616366, "digits cut off"},
      {"Q3.1", kComm, 2, 32, "16.9940435", 40.171962 - 46.355837 / 2, "computation_N - T_1/N, T_1 of Q1"},
      {"Q3.1", kComm, 2, 128, "2.5491775", 11.689425 - 18.280495 / 2, "T_1 of Q1"},
      {"Q3.1", kComm, 2, 512, "0.61628", 3.216890 - 5.201220 / 2, "T_1 of Q1"},
      {"Q3.1", kComm, 4, 32, "16.11087375", 27.699833 - 46.355837 / 4, "T_1 of Q1"},
      {"Q3.1", kComm, 4, 128, "3.05191025", 7.622034 - 18.280495 / 4, "T_1 of Q1"},
      {"Q3.1", kComm, 4, 512, "0.977492", 2.277797 - 5.201220 / 4, "T_1 of Q1"},
      {"Q3.1, example", proto::COMPUTE_SECONDS, 4, 32, "11.58895925", 46.355837 / 4, "T_1/N"},
      // The printed formulas, in units of 1e9.
      {"Q3.2", kBandwidth, 2, 32, "2.05475708297", (1.0 * 4 * 11173962 * 50000) / (16.9940435 * 64) / 1e9, "GB = 1e9"},
      {"Q3.2", kBandwidth, 2, 128, "3.42449978964", (1.0 * 4 * 11173962 * 50000) / (2.5491775 * 256) / 1e9, "GB = 1e9"},
      {"Q3.2", kBandwidth, 2, 512, "3.54127093711", (1.0 * 11173962 * 4 * 50000) / (1024 * 0.61628) / 1e9, "GB = 1e9"},
      {"Q3.2", kBandwidth, 4, 32, "1.62554643801", (1.5 * 4 * 11173962 * 50000) / (16.11087375 * 128) / 1e9,
       "images/(B*N)"},
      {"Q3.2", kBandwidth, 4, 128, "2.14529354504", (1.5 * 4 * 11173962 * 50000) / (3.05191025 * 512) / 1e9,
       "images/(B*N)"},
      {"Q3.2", kBandwidth, 4, 512, "1.67450049703", (1.5 * 11173962 * 4 * 50000) / (0.977492 * 2048) / 1e9, "2(N-1)/N"},
  };
  for (const Expected& e : expected) {
    ExpectReproduced(tables, e);
  }
}

TEST(Seed001Test, OneSpeedupIsNotReproducible) {
  const auto tables = AuditSeed("seed_001.textproto");
  EXPECT_EQ(CountFindings(tables)[proto::NOT_REPRODUCIBLE], 1);
  const proto::AuditedValue* value = Find(tables, "Q2", proto::SPEEDUP, 2, 512, "1.18592");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_NEAR(value->nearest().value(), 4.946042 / 4.017061, kArithmetic);  // 1.23126
  EXPECT_NEAR(value->nearest().ratio(), 0.96318, 5e-6);                     // 1.18592 / 1.231259, five digits
  EXPECT_THAT(value->reproduced_by(), IsEmpty());
}

TEST(Seed001Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditSeed("seed_001.textproto");
  EXPECT_THAT(CountFlags(tables),
              ElementsAre(std::make_pair("clocks_most_likely_not_synchronised", 12),  // all but batch 32
                          std::make_pair("computation_holds_communication", 6), std::make_pair("parts_do_not_sum", 6),
                          std::make_pair("text_claims_GiB_prints_GB", 6), std::make_pair("truncated_digits", 3),
                          std::make_pair("two_values_of_one_quantity", 6)));  // the one-GPU times of Q1 and Q2
  EXPECT_EQ(CountFindings(tables)[proto::AMBIGUOUS], 0);
}

TEST(Seed001Test, ClocksThatCannotBe) {
  const auto tables = AuditSeed("seed_001.textproto");
  // 3,332,536,320 FLOP * 50,000 images = 166.63 TFLOP; half a K80 peaks at 2,496 * 2 * 875 MHz = 4.37 TFLOP/s.
  const auto sentence = [&](uint32_t devices, uint32_t batch, const char* digits) {
    return Find(tables, "Q2", proto::STEP_SECONDS, devices, batch, digits)->sentence();
  };
  EXPECT_THAT(sentence(1, 512, "4.946042"), HasSubstr("needs 33.7 TFLOP/s, and the peak of 1 device is 4.4"));
  EXPECT_THAT(sentence(1, 128, "16.937219"), HasSubstr("needs 9.8 TFLOP/s"));
  EXPECT_THAT(sentence(2, 512, "4.017061"), HasSubstr("needs 41.5 TFLOP/s, and the peak of 2 devices is 8.7"));
  EXPECT_THAT(sentence(1, 32, "62.661095"), Not(HasSubstr("TFLOP/s")));  // 2.66: that one can be
  EXPECT_THAT(sentence(4, 32, "28.341740"), Not(HasSubstr("TFLOP/s")));
}

TEST(Seed001Test, PartsAndTotal) {
  const auto tables = AuditSeed("seed_001.textproto");
  EXPECT_THAT(Find(tables, "Q3.1", proto::COMMUNICATION_SECONDS, 2, 32, "16.9940435")->sentence(),
              HasSubstr("= 57.1660055, but Q2 prints a total of 44.222406"));
}

TEST(Seed004Test, EveryComputedNumber) {
  const auto tables = AuditSeed("seed_004.textproto");
  const auto kSpeedup = proto::SPEEDUP;
  const auto kComp = proto::COMPUTE_SECONDS;
  const auto kComm = proto::COMMUNICATION_SECONDS;
  const auto kBandwidth = proto::BANDWIDTH_GIGABYTES_PER_SECOND;
  const auto kUtilization = proto::UTILIZATION_PERCENT;
  const double m = 44695848;  // bytes of ONE iteration; 2(N-1)/N is 1 and 1.5
  const char kOne[] = "1 iteration";
  const Expected expected[] = {
      {"Table 1", kSpeedup, 4, 32, "1.78", 16.164 / 9.060, "T_2/T_N"},
      {"Table 1", kSpeedup, 4, 128, "1.96", 9.849 / 5.023, "T_2/T_N"},
      {"Table 1", kSpeedup, 4, 512, "1.94", 10.012 / 5.160, "T_2/T_N"},
      {"Table 2", kComp, 2, 32, "11.775", 23.550 / 2, "T_1/N"},
      {"Table 2", kComp, 4, 32, "5.888", 23.550 / 4, "T_1/N"},
      {"Table 2", kComp, 2, 128, "9.156", 18.311 / 2, "T_1/N"},
      {"Table 2", kComp, 4, 128, "4.578", 18.311 / 4, "T_1/N"},
      {"Table 2", kComp, 2, 512, "9.882", 19.764 / 2, "single-GPU times used"},
      {"Table 2", kComp, 4, 512, "4.941", 19.764 / 4, "single-GPU times used"},
      {"Table 2", kComm, 2, 32, "4.389", 16.164 - 23.550 / 2, "T_N - T_1/N"},
      {"Table 2", kComm, 4, 32, "3.172", 9.060 - 23.550 / 4, "T_N - T_1/N"},
      {"Table 2", kComm, 2, 128, "0.693", 9.849 - 18.311 / 2, "T_N - T_1/N"},
      {"Table 2", kComm, 4, 128, "0.445", 5.023 - 18.311 / 4, "T_N - T_1/N"},
      {"Table 2", kComm, 2, 512, "0.130", 10.012 - 19.764 / 2, "T_N - T_1/N"},
      {"Table 2", kComm, 4, 512, "0.219", 5.160 - 19.764 / 4, "T_N - T_1/N"},
      {"Table 3", kBandwidth, 2, 32, "0.010", m / (16.164 - 23.550 / 2) / 1e9, kOne},
      {"Table 3", kBandwidth, 4, 32, "0.021", 1.5 * m / (9.060 - 23.550 / 4) / 1e9, kOne},
      {"Table 3", kBandwidth, 2, 128, "0.064", m / (9.849 - 18.311 / 2) / 1e9, kOne},
      {"Table 3", kBandwidth, 4, 128, "0.151", 1.5 * m / (5.023 - 18.311 / 4) / 1e9, kOne},
      {"Table 3", kBandwidth, 2, 512, "0.344", m / (10.012 - 19.764 / 2) / 1e9, kOne},
      {"Table 3", kBandwidth, 4, 512, "0.306", 1.5 * m / (5.160 - 19.764 / 4) / 1e9, kOne},
      // Of the claimed 0.9e9 B/s, and from the printed communication times: 7.17 and 16.74 follow from no others.
      {"Table 3", kUtilization, 2, 32, "1.13", m / 4.389 / 0.9e9 * 100, "intermediates as printed"},
      {"Table 3", kUtilization, 4, 32, "2.35", 1.5 * m / 3.172 / 0.9e9 * 100, "intermediates as printed"},
      {"Table 3", kUtilization, 2, 128, "7.17", m / 0.693 / 0.9e9 * 100, "intermediates as printed"},
      {"Table 3", kUtilization, 4, 128, "16.74", 1.5 * m / 0.445 / 0.9e9 * 100, "intermediates as printed"},
      {"Table 3", kUtilization, 2, 512, "38.20", m / 0.130 / 0.9e9 * 100, "intermediates as printed"},
      {"Table 3", kUtilization, 4, 512, "34.02", 1.5 * m / 0.219 / 0.9e9 * 100, "intermediates as printed"},
      {"Q4.1", proto::ACCURACY_PERCENT, 4, 2048, "28.99", 28.99, "as printed in Log, 4 GPUs, large batch"},
  };
  for (const Expected& e : expected) {
    ExpectReproduced(tables, e);
  }
}

TEST(Seed004Test, TwoNumbersContradictTheLogs) {
  const auto tables = AuditSeed("seed_004.textproto");
  EXPECT_EQ(CountFindings(tables)[proto::NOT_REPRODUCIBLE], 2);
  const proto::AuditedValue* used =
      Find(tables, "Table 2, single-GPU times used", proto::EPOCH_SECONDS, 1, 512, "19.764");
  ASSERT_NE(used, nullptr);
  EXPECT_THAT(used->flag(), ElementsAre("inconsistent_printing"));
  EXPECT_DOUBLE_EQ(used->nearest().value(), 19.704);
  const proto::AuditedValue* text = Find(tables, "Q1 text", proto::STEP_SECONDS, 1, 32, "22.66");
  ASSERT_NE(text, nullptr);
  EXPECT_DOUBLE_EQ(text->nearest().value(), 22.782);
}

TEST(Seed004Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditSeed("seed_004.textproto");
  EXPECT_THAT(
      CountFlags(tables),
      ElementsAre(std::make_pair("base_is_not_one_device", 3),
                  std::make_pair("inconsistent_printing", 6),  // 19.764, four numbers made of it, and 22.66
                  std::make_pair("iterations_forgotten", 12), std::make_pair("over_100_percent_with_iterations", 6),
                  std::make_pair("rounded_intermediates", 2),         // 7.17 and 16.74
                  std::make_pair("truncated_digits", 1),              // 19.6 for 19.658
                  std::make_pair("two_values_of_one_quantity", 2)));  // int8 weights: 54.1 and 51.4
  EXPECT_EQ(CountFindings(tables)[proto::AMBIGUOUS], 0);
}

TEST(Seed004Test, WithItsIterationsTheUtilisationIsBeyondThePeak) {
  const auto tables = AuditSeed("seed_004.textproto");
  // 1.13 % * 50,000 / 64
  EXPECT_THAT(Find(tables, "Table 3", proto::UTILIZATION_PERCENT, 2, 32, "1.13")->sentence(),
              HasSubstr("with the 781.25 iterations of an epoch it would be 883 %"));
}

TEST(Seed004Test, NoTimeNeedsMoreThanThePeak) {
  EXPECT_EQ(CountFlags(AuditSeed("seed_004.textproto")).count("clocks_most_likely_not_synchronised"), 0u);
}

}  // namespace
}  // namespace lockstep
