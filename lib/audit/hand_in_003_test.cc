// The audit of hand-in 003. The expected values are computed here from the document's digits.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/hand_in_audit_testing.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HandIn003Test, EveryComputedNumber) {
  const auto tables = AuditHandIn("hand_in_003.textproto");
  const auto kSpeedup = proto::SPEEDUP;
  const auto kComp = proto::COMPUTE_SECONDS;
  const auto kComm = proto::COMMUNICATION_SECONDS;
  const auto kBandwidth = proto::BANDWIDTH_GIGABYTES_PER_SECOND;
  const double x = 11173962;  // elements; an epoch has ceil(50000/32) = 1563, 391 or 98 steps
  const Expected expected[] = {
      {"Speed-ups, all", kSpeedup, 2, 32, "0.567164", 38.0 / 67, "T_1/T_N"},
      {"Table 1 as a data frame", kSpeedup, 2, 32, "0.567164", 38.0 / 67, "T_1/T_N"},
      {"Table 1", kSpeedup, 2, 32, "0.567164", 38.0 / 67, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 4, 32, "0.314050", 38.0 / 121, "T_1/T_N"},
      {"Table 1 as a data frame", kSpeedup, 4, 32, "0.314050", 38.0 / 121, "T_1/T_N"},
      {"Table 1", kSpeedup, 4, 32, "0.31405", 38.0 / 121, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 2, 128, "0.888889", 16.0 / 18, "T_1/T_N"},
      {"Speed-up at 128", kSpeedup, 2, 128, "0.888889", 16.0 / 18, "T_1/T_N"},
      {"Table 1 as a data frame", kSpeedup, 2, 128, "0.888889", 16.0 / 18, "T_1/T_N"},
      {"Table 1", kSpeedup, 2, 128, "0.888889", 16.0 / 18, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 4, 128, "0.533333", 16.0 / 30, "T_1/T_N"},
      {"Speed-up at 128", kSpeedup, 4, 128, "0.533333", 16.0 / 30, "T_1/T_N"},
      {"Table 1 as a data frame", kSpeedup, 4, 128, "0.533333", 16.0 / 30, "T_1/T_N"},
      {"Table 1", kSpeedup, 4, 128, "0.533333", 16.0 / 30, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 2, 512, "1.444444", 13.0 / 9, "T_1/T_N"},
      {"Speed-up at 512", kSpeedup, 2, 512, "1.444444", 13.0 / 9, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 4, 512, "1.181818", 13.0 / 11, "T_1/T_N"},
      {"Speed-up at 512", kSpeedup, 4, 512, "1.181818", 13.0 / 11, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 2, 2048, "1.300000", 13.0 / 10, "T_1/T_N"},
      {"Speed-up at 2048", kSpeedup, 2, 2048, "1.300000", 13.0 / 10, "T_1/T_N"},
      {"Speed-ups, all", kSpeedup, 4, 2048, "1.181818", 13.0 / 11, "T_1/T_N"},
      {"Speed-up at 2048", kSpeedup, 4, 2048, "1.181818", 13.0 / 11, "T_1/T_N"},
      {"Table 1 by N*T(1)/T(N)", kSpeedup, 2, 32, "1.134328", 2 * 38.0 / 67, "N*T_1/T_N"},
      {"Table 1 by N*T(1)/T(N)", kSpeedup, 4, 32, "1.256198", 4 * 38.0 / 121, "N*T_1/T_N"},
      {"Table 1 by N*T(1)/T(N)", kSpeedup, 2, 128, "1.777778", 2 * 16.0 / 18, "N*T_1/T_N"},
      {"Table 1 by N*T(1)/T(N)", kSpeedup, 4, 128, "2.133333", 4 * 16.0 / 30, "N*T_1/T_N"},
      {"Speed-up at 32", kSpeedup, 2, 32, "1.134328", 2 * 38.0 / 67, "N*T_1/T_N"},
      {"Speed-up at 32", kSpeedup, 4, 32, "1.256198", 4 * 38.0 / 121, "N*T_1/T_N"},
      {"Q3, calculation", kComp, 1, 32, "38.0", 38.0 / 1, "T_1/N"},
      {"Q3, calculation", kComp, 1, 128, "16.0", 16.0 / 1, "T_1/N"},
      {"Q3, calculation", kComp, 1, 512, "13", 13.0 / 1, "T_1/N"},
      {"Q3, calculation", kComp, 2, 32, "19.0", 38.0 / 2, "T_1/N"},
      {"Q3, calculation", kComp, 2, 128, "8.0", 16.0 / 2, "T_1/N"},
      {"Q3, calculation", kComp, 2, 512, "6", 13.0 / 2, "T_1/N"},
      {"Q3, calculation", kComp, 4, 32, "9.5", 38.0 / 4, "T_1/N"},
      {"Q3, calculation", kComp, 4, 128, "4.0", 16.0 / 4, "T_1/N"},
      {"Q3, calculation", kComp, 4, 512, "3", 13.0 / 4, "T_1/N"},
      {"Q3, communication", kComm, 1, 32, "0.0", 38 - 38.0 / 1, "T_N - T_1/N"},
      {"Q3, communication", kComm, 1, 128, "0.0", 16 - 16.0 / 1, "T_N - T_1/N"},
      {"Q3, communication", kComm, 2, 32, "48.0", 67 - 38.0 / 2, "T_N - T_1/N"},
      {"Q3, communication", kComm, 2, 128, "10.0", 18 - 16.0 / 2, "T_N - T_1/N"},
      {"Q3, communication", kComm, 4, 32, "111.5", 121 - 38.0 / 4, "T_N - T_1/N"},
      {"Q3, communication", kComm, 4, 128, "26.0", 30 - 16.0 / 4, "T_N - T_1/N"},
      {"Q4, communication counts", proto::TRAFFIC_ELEMENTS, 2, 32, "1.746490e+10", 1.0 * x * 1563, "ceil(images/B)"},
      {"Q4, communication counts", proto::TRAFFIC_ELEMENTS, 2, 128, "4.369019e+09", 1.0 * x * 391, "ceil(images/B)"},
      {"Q4, communication counts", proto::TRAFFIC_ELEMENTS, 4, 32, "2.619735e+10", 1.5 * x * 1563, "ceil(images/B)"},
      {"Q4, communication counts", proto::TRAFFIC_ELEMENTS, 4, 128, "6.553529e+09", 1.5 * x * 391, "ceil(images/B)"},
      {"Q4, bandwidth", kBandwidth, 2, 32, "0.363852", 1.0 * x * 1563 / 48 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
      {"Q4, bandwidth", kBandwidth, 2, 128, "0.436902", 1.0 * x * 391 / 10 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
      {"Q4, bandwidth", kBandwidth, 2, 512, "0.438019", 1.0 * x * 98 / 2.5 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
      {"Q4, bandwidth", kBandwidth, 4, 32, "0.234954", 1.5 * x * 1563 / 111.5 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
      {"Q4, bandwidth", kBandwidth, 4, 128, "0.252059", 1.5 * x * 391 / 26 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
      {"Q4, bandwidth", kBandwidth, 4, 512, "0.211945", 1.5 * x * 98 / 7.75 / 1e9,
       "X = 11173962 * ceil(images/B) / T_comm"},
  };
  for (const Expected& e : expected) {
    ExpectReproduced(tables, e);
  }
}

TEST(HandIn003Test, TheSlipsOfItsConventionsAndNoOthers) {
  const auto tables = AuditHandIn("hand_in_003.textproto");
  EXPECT_THAT(CountFlags(tables),
              ElementsAre(std::make_pair("batch_not_as_labelled", 9),  // times of 2 and 4 GPUs
                          std::make_pair("counts_N_twice", 6), std::make_pair("elements_not_bytes", 6),
                          std::make_pair("no_one_device_time", 1),  // batch 8192
                          std::make_pair("whole_second_clock", 12)));
  ExpectFindings(tables, {31, 163, 0, 0});  // 13 times and 18 losses are given
}

TEST(HandIn003Test, TheSentencesNameWhatIsWrong) {
  const auto tables = AuditHandIn("hand_in_003.textproto");
  EXPECT_THAT(Find(tables, "Times", proto::EPOCH_SECONDS, 2, 512, "9.0")->sentence(),
              AllOf(HasSubstr("all 12 times of this table are whole seconds, so this one may be off by 11.1 %"),
                    HasSubstr("says that batch 512 is per_device, and it is total")));
  EXPECT_THAT(Find(tables, "get_time_info of 8192 on 4 GPUs", proto::EPOCH_SECONDS, 4, 8192, "12.0")->sentence(),
              HasSubstr("no time of one device at batch 8192"));
  EXPECT_THAT(Find(tables, "Speed-ups, all", proto::SPEEDUP, 2, 32, "0.567164")->sentence(),
              HasSubstr("This is strong scaling: the total batch stays"));
  EXPECT_THAT(Find(tables, "Q4, bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 2, 32, "0.363852")->sentence(),
              HasSubstr("DataParallel gathers on one device"));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
