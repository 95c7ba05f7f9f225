// The audit of hand-in 001. The expected values are computed here from the document's digits.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/hand_in_audit_testing.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HandIn001Test, EveryComputedNumber) {
  const auto tables = AuditHandIn("hand_in_001.textproto");
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

// 4.946042 / 4.017061 is 1.23126, but 4.946042 / 4.17061 is 1.185927.
TEST(HandIn001Test, OneSpeedupLostADigit) {
  const auto tables = AuditHandIn("hand_in_001.textproto");
  ExpectReproduced(tables, {"Q2", proto::SPEEDUP, 2, 512, "1.18592", 4.946042 / 4.17061, "digit 2 of T_N lost"});
  const proto::AuditedValue* value = Find(tables, "Q2", proto::SPEEDUP, 2, 512, "1.18592");
  ASSERT_NE(value, nullptr);
  EXPECT_THAT(value->flag(), ElementsAre("lost_digit", "truncated_digits", "differs_from_its_table"));
}

TEST(HandIn001Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditHandIn("hand_in_001.textproto");
  EXPECT_THAT(
      CountFlags(tables),
      ElementsAre(std::make_pair("clocks_most_likely_not_synchronised", 12),  // all but batch 32
                  std::make_pair("computation_holds_communication", 6), std::make_pair("differs_from_its_table", 1),
                  std::make_pair("lost_digit", 1), std::make_pair("parts_do_not_sum", 6),
                  std::make_pair("text_claims_GiB_prints_GB", 6), std::make_pair("truncated_digits", 4),
                  std::make_pair("two_values_of_one_quantity", 6)));  // one-GPU times of Q1 and Q2
  ExpectFindings(tables, {22, 26, 0, 0});
}

TEST(HandIn001Test, ClocksThatCannotBe) {
  const auto tables = AuditHandIn("hand_in_001.textproto");
  // 3,332,536,320 FLOP * 50,000 images = 166.63 TFLOP; half a K80 peaks at 2,496 * 2 * 875 MHz = 4.37 TFLOP/s.
  const auto sentence = [&](uint32_t devices, uint32_t batch, const char* digits) {
    return Find(tables, "Q2", proto::STEP_SECONDS, devices, batch, digits)->sentence();
  };
  EXPECT_THAT(sentence(1, 512, "4.946042"), HasSubstr("needs 33.7 TFLOP/s, and the peak of 1 device is 4.4"));
  EXPECT_THAT(sentence(1, 128, "16.937219"), HasSubstr("needs 9.8 TFLOP/s"));
  EXPECT_THAT(sentence(2, 512, "4.017061"), HasSubstr("needs 41.5 TFLOP/s, and the peak of 2 devices is 8.7"));
  EXPECT_THAT(sentence(1, 32, "62.661095"), Not(HasSubstr("TFLOP/s")));  // 2.66 TFLOP/s is possible
  EXPECT_THAT(sentence(4, 32, "28.341740"), Not(HasSubstr("TFLOP/s")));
}

TEST(HandIn001Test, PartsAndTotal) {
  const auto tables = AuditHandIn("hand_in_001.textproto");
  EXPECT_THAT(Find(tables, "Q3.1", proto::COMMUNICATION_SECONDS, 2, 32, "16.9940435")->sentence(),
              HasSubstr("= 57.1660055, but Q2 prints a total of 44.222406"));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
