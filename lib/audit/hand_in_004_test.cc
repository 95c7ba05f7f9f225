// The audit of hand-in 004. The expected values are computed here from the document's digits.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/hand_in_audit_testing.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HandIn004Test, EveryComputedNumber) {
  const auto tables = AuditHandIn("hand_in_004.textproto");
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
      // Shares of the claimed 0.9e9 B/s, from the printed communication times: 7.17 and 16.74 follow from no other
      // values.
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

TEST(HandIn004Test, TwoNumbersContradictTheLogs) {
  const auto tables = AuditHandIn("hand_in_004.textproto");
  const proto::AuditedValue* used =
      Find(tables, "Table 2, single-GPU times used", proto::EPOCH_SECONDS, 1, 512, "19.764");
  ASSERT_NE(used, nullptr);
  EXPECT_THAT(used->flag(), ElementsAre("inconsistent_printing"));
  EXPECT_DOUBLE_EQ(used->nearest().value(), 19.704);
  const proto::AuditedValue* text = Find(tables, "Q1 text", proto::STEP_SECONDS, 1, 32, "22.66");
  ASSERT_NE(text, nullptr);
  EXPECT_DOUBLE_EQ(text->nearest().value(), 22.782);
}

TEST(HandIn004Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditHandIn("hand_in_004.textproto");
  EXPECT_THAT(
      CountFlags(tables),
      ElementsAre(std::make_pair("base_is_not_one_device", 3),
                  std::make_pair("inconsistent_printing", 6),  // 19.764, four numbers computed from it, and 22.66
                  std::make_pair("iterations_forgotten", 12), std::make_pair("over_100_percent_with_iterations", 6),
                  std::make_pair("rounded_intermediates", 2),         // 7.17 and 16.74
                  std::make_pair("truncated_digits", 1),              // 19.6 for 19.658
                  std::make_pair("two_values_of_one_quantity", 2)));  // int8 weights: 54.1 and 51.4
  ExpectFindings(tables, {114, 61, 0, 2});
}

TEST(HandIn004Test, WithItsIterationsTheUtilisationIsBeyondThePeak) {
  const auto tables = AuditHandIn("hand_in_004.textproto");
  // 1.13 % * 50,000 / 64
  EXPECT_THAT(Find(tables, "Table 3", proto::UTILIZATION_PERCENT, 2, 32, "1.13")->sentence(),
              HasSubstr("with the 781.25 iterations of an epoch it would be 883 %"));
}

TEST(HandIn004Test, NoTimeNeedsMoreThanThePeak) {
  EXPECT_EQ(CountFlags(AuditHandIn("hand_in_004.textproto")).count("clocks_most_likely_not_synchronised"), 0u);
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
