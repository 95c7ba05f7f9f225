#include "lib/warnings/speedup_warnings.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// One rank on Monday, the others on Tuesday.
proto::ScalingRow RowOf(uint32_t ranks, double speedup, bool two_runs) {
  proto::ScalingRow row;
  row.set_ranks(ranks);
  row.set_batch_per_device(32);
  row.mutable_epoch_speedup()->set_value(speedup);
  row.mutable_epoch_speedup()->set_low(0.99 * speedup);
  row.mutable_epoch_speedup()->set_high(1.01 * speedup);
  if (two_runs) {
    row.add_run_start("2026-11-23T09:00:00Z");
    row.add_run_start("2026-11-24T10:30:00Z");
  }
  return row;
}

std::vector<Warning> WarningsOf(std::vector<proto::ScalingRow> rows) {
  LabRecords lab;
  lab.comm_models.emplace_back();
  lab.comm_models[0].input.set_path("comm_model.rec");
  lab.comm_models[0].rows = std::move(rows);
  std::vector<Warning> warnings;
  WarnOfSpeedups(lab, warnings);
  return warnings;
}

TEST(SpeedupWarningsTest, SpeedupsOfOneRunBelowNHaveNone) {
  EXPECT_THAT(WarningsOf({RowOf(1, 1, false), RowOf(2, 1.9, false), RowOf(4, 3.7, false)}), IsEmpty());
}

TEST(SpeedupWarningsTest, TimesOfDifferentRunsAreOneWarning) {
  const std::vector<Warning> warnings =
      WarningsOf({RowOf(1, 1, false), RowOf(2, 1.9, true), RowOf(4, 4.6, true), RowOf(4, 3.7, true)});
  ASSERT_THAT(warnings, ElementsAre(Field(&Warning::rule, "times_of_different_runs")));
  EXPECT_THAT(warnings[0].text,
              AllOf(HasSubstr("In comm_model.rec the times of 1 and 2, 4 ranks were measured in different runs (begun "
                              "at 2026-11-23T09:00:00Z and 2026-11-24T10:30:00Z); speed-ups above N: 4 ranks at batch "
                              "32 per device: epoch speed-up 4.6 (4.55 to 4.65). "),
                    HasSubstr("scale_run --force.")));
  EXPECT_THAT(WarningsOf({RowOf(2, 1.9, true)})[0].text, Not(HasSubstr("above N")));
}

TEST(SpeedupWarningsTest, SpeedupsAboveNOfOneRunNameTheirCause) {
  const std::vector<Warning> warnings = WarningsOf(
      {RowOf(2, 2.4, false), RowOf(4, 4.6, false), RowOf(4, 4.7, false), RowOf(8, 9, false), RowOf(8, 9.5, false)});
  ASSERT_THAT(warnings, ElementsAre(Field(&Warning::rule, "speedup_above_ranks")));
  EXPECT_THAT(warnings[0].text, AllOf(HasSubstr("comm_model.rec): 2 ranks at batch 32 per device: epoch speed-up 2.4 "),
                                      HasSubstr("; and 2 more. Probable cause: 1 rank was slower than usual")));
}

}  // namespace
}  // namespace lockstep
