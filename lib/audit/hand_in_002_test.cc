// The audit of hand-in 002. The expected values are computed here from the document's digits.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/hand_in_audit_testing.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HandIn002Test, EveryComputedNumber) {
  const auto tables = AuditHandIn("hand_in_002.textproto");
  const auto kSpeedup = proto::SPEEDUP;
  const auto kComp = proto::COMPUTE_SECONDS;
  const auto kComm = proto::COMMUNICATION_SECONDS;
  const auto kBandwidth = proto::BANDWIDTH_GIGABYTES_PER_SECOND;
  const Expected expected[] = {
      {"Question 2, table", kSpeedup, 2, 32, "1.40", 2 * 25.86 / 36.93, "N*T_1/T_N"},
      {"Question 2, table", kSpeedup, 2, 128, "1.67", 2 * 14.73 / 17.59, "N*T_1/T_N"},
      {"Question 2, table", kSpeedup, 2, 512, "1.84", 2 * 11.43 / 12.41, "N*T_1/T_N"},
      {"Question 2, table", kSpeedup, 4, 32, "3.80", 4 * 25.86 / 27.25, "N*T_1/T_N"},
      {"Question 2, table", kSpeedup, 4, 128, "3.97", 4 * 14.73 / 14.82, "N*T_1/T_N"},
      {"Question 2, table", kSpeedup, 4, 512, "3.88", 4 * 11.43 / 11.78, "N*T_1/T_N"},
      {"Question 3, table", kComp, 2, 32, "12.93", 25.86 / 2, "T_1/N"},
      {"Question 3, table", kComm, 2, 32, "24.00", 36.93 - 25.86 / 2, "T_N - T_1/N"},
      {"Question 3, table", kComp, 2, 128, "7.37", 14.73 / 2, "T_1/N"},
      {"Question 3, table", kComm, 2, 128, "10.22", 17.59 - 14.73 / 2, "T_N - T_1/N"},
      {"Question 3, table", kComp, 2, 512, "5.72", 11.43 / 2, "T_1/N"},
      {"Question 3, table", kComm, 2, 512, "6.69", 12.41 - 11.43 / 2, "T_N - T_1/N"},
      {"Question 3, table", kComp, 4, 32, "6.47", 25.86 / 4, "T_1/N"},
      {"Question 3, table", kComm, 4, 32, "20.78", 27.25 - 25.86 / 4, "T_N - T_1/N"},
      {"Question 3, table", kComp, 4, 128, "3.68", 14.73 / 4, "T_1/N"},
      {"Question 3, table", kComm, 4, 128, "11.14", 14.82 - 14.73 / 4, "T_N - T_1/N"},
      {"Question 3, table", kComp, 4, 512, "2.86", 11.43 / 4, "T_1/N"},
      {"Question 3, table", kComm, 4, 512, "8.92", 11.78 - 11.43 / 4, "T_N - T_1/N"},
      {"Question 4, all-reduce cost", proto::TRAFFIC_ELEMENTS, 2, 0, "11689512", 11689512,
       "X = 11689512 * 1 iteration"},
      {"Question 4, all-reduce cost", proto::TRAFFIC_ELEMENTS, 4, 0, "17534268", 1.5 * 11689512,
       "X = 11689512 * 1 iteration"},
      {"Question 4, all-reduce cost", proto::TRAFFIC_GIGABYTES, 2, 0, "0.044", 4 * 11689512 / 1073741824.0,
       "GB = 2^30"},
      {"Question 4, all-reduce cost", proto::TRAFFIC_GIGABYTES, 4, 0, "0.065", 4 * 17534268 / 1073741824.0,
       "GB = 2^30"},
      // From the rounded GB and the rounded seconds: 0.0066 and 0.0058 follow from no other values.
      {"Question 4, bandwidth", kBandwidth, 2, 32, "0.0018", 0.044 / 24.00, "intermediates as printed"},
      {"Question 4, bandwidth", kBandwidth, 2, 128, "0.0043", 0.044 / 10.22, "intermediates as printed"},
      {"Question 4, bandwidth", kBandwidth, 2, 512, "0.0066", 0.044 / 6.69, "intermediates as printed"},
      {"Question 4, bandwidth", kBandwidth, 4, 32, "0.0031", 0.065 / 20.78, "intermediates as printed"},
      {"Question 4, bandwidth", kBandwidth, 4, 128, "0.0058", 0.065 / 11.14, "intermediates as printed"},
      {"Question 4, bandwidth", kBandwidth, 4, 512, "0.0073", 0.065 / 8.92, "intermediates as printed"},
  };
  for (const Expected& e : expected) {
    ExpectReproduced(tables, e);
  }
}

// 4 * 14.73 / 14.82 = 3.9757, which rounds to 3.98; 4 * 14.725 / 14.825 = 3.973.
TEST(HandIn002Test, OneSpeedupIsOfTimesWithMoreDigits) {
  const auto tables = AuditHandIn("hand_in_002.textproto");
  EXPECT_THAT(Find(tables, "Question 2, table", proto::SPEEDUP, 4, 128, "3.97")->reproduced_by(0).convention(),
              HasSubstr("inputs before their rounding"));
}

TEST(HandIn002Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditHandIn("hand_in_002.textproto");
  EXPECT_THAT(CountFlags(tables),
              ElementsAre(std::make_pair("batch_beyond_the_data", 14),  // 131,072 to 8,796,093,022,208
                          std::make_pair("counts_N_twice", 6), std::make_pair("iterations_forgotten", 6),
                          std::make_pair("loader_workers_differ", 6),                   // one-GPU times of Q1 and Q2
                          std::make_pair("parameter_count_not_the_trained_model", 10),  // 4 volumes, 6 bandwidths
                          std::make_pair("rounded_intermediates", 2),                   // 0.0066 and 0.0058
                          std::make_pair("two_values_of_one_quantity", 6)));
  ExpectFindings(tables, {29, 60, 0, 0});  // 20 + 9 times are given
}

TEST(HandIn002Test, TheSentencesNameWhatIsWrong) {
  const auto tables = AuditHandIn("hand_in_002.textproto");
  EXPECT_THAT(Find(tables, "Question 1", proto::EPOCH_SECONDS, 1, 131072, "13.14")->sentence(),
              HasSubstr("a step of 131072 images of 50000"));
  EXPECT_THAT(Find(tables, "Question 1", proto::EPOCH_SECONDS, 1, 32, "15.51")->sentence(),
              HasSubstr("Question 1 loads data with 2 workers, Question 2, log with 0"));
  EXPECT_THAT(
      Find(tables, "Question 4, bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 2, 512, "0.0066")->sentence(),
      HasSubstr("from 6.69, 11689512, 0.044"));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
