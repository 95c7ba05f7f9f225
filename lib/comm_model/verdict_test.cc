#include "lib/comm_model/verdict.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {
namespace {

// A speedup of 0 means no speed-up.
proto::CommModelRecord Row(uint32_t ranks, uint32_t batch, double speedup) {
  proto::CommModelRecord record;
  record.mutable_scaling()->set_ranks(ranks);
  record.mutable_scaling()->set_batch_per_device(batch);
  if (speedup > 0) {
    record.mutable_scaling()->mutable_epoch_speedup()->set_value(speedup);
  }
  return record;
}

TEST(VerdictTextTest, IsOfTheMostDevicesAndTheLargestBatch) {
  EXPECT_EQ(VerdictText({Row(1, 512, 1), Row(4, 128, 3.6), Row(4, 32, 2), Row(2, 512, 1.9), Row(8, 32, 0)}),
            "4 devices, batch 128 each: an epoch is 3.6 times as fast as on one (90 % of ideal)");
}

// The report's card and Table 1 show the speed-up of epochs; a second number of steps would contradict them.
TEST(VerdictTextTest, IsOfEpochsAndNotOfSteps) {
  proto::CommModelRecord record = Row(2, 128, 1.6);
  record.mutable_scaling()->mutable_weak_speedup()->set_value(1.5);
  EXPECT_EQ(VerdictText({record}),
            "2 devices, batch 128 each: an epoch is 1.6 times as fast as on one (80 % of ideal)");
}

TEST(VerdictTextTest, ASpeedupBetweenTwoRunsIsDoubted) {
  std::vector<proto::CommModelRecord> records = {Row(1, 128, 1), Row(2, 128, 1.5)};
  records[1].mutable_scaling()->add_run_start("2026-11-23T09:00:00Z");
  records[1].mutable_scaling()->add_run_start("2026-11-24T10:30:00Z");
  EXPECT_EQ(
      VerdictText(records),
      "2 devices, batch 128 each: an epoch is 1.5 times as fast as on one (75 % of ideal), but the times of 1 and "
      "2 ranks were measured in different runs (begun at 2026-11-23T09:00:00Z and 2026-11-24T10:30:00Z)");
}

TEST(VerdictTextTest, ASpeedupAboveTheRanksIsDoubted) {
  proto::CommModelRecord record = Row(2, 128, 2.4);
  record.mutable_scaling()->mutable_epoch_speedup()->set_low(2.2);
  record.mutable_scaling()->mutable_epoch_speedup()->set_high(2.6);
  EXPECT_EQ(
      VerdictText({record}),
      "2 devices, batch 128 each: an epoch is 2.4 times as fast as on one (120 % of ideal), but epoch speed-up 2.4 "
      "(2.2 to 2.6) is above the number of ranks; probable cause: 1 rank was slower than usual (other work, heat, or "
      "data that only a rank's share of fits into a cache); measure all ranks again");
}

TEST(VerdictTextTest, CountsAnswers) {
  std::vector<proto::CommModelRecord> records(2);
  records[0].mutable_what_if();
  EXPECT_EQ(VerdictText({records[0]}), "1 what-if answer");
  records[1].mutable_what_if();
  EXPECT_EQ(VerdictText(records), "2 what-if answers");
}

TEST(VerdictTextTest, ReportsWhatIsMissingForASpeedup) {
  EXPECT_EQ(VerdictText({Row(2, 128, 0)}), "no speed-up: it needs points of one device and of several");
}

TEST(VerdictTextTest, CountsFitsWhereThereIsNothingElse) {
  std::vector<proto::CommModelRecord> records(2);
  records[0].mutable_all_reduce_fit()->set_accepted(true);
  records[1].mutable_all_reduce_fit();
  EXPECT_EQ(VerdictText(records), "1 of 2 fits of all-reduce times accepted");
}

TEST(VerdictTextTest, CountsWhatIsNotScaling) {
  std::vector<proto::CommModelRecord> records(3);
  records[0].mutable_prediction();
  records[1].mutable_prediction();
  proto::AuditSummary& summary = *records[2].mutable_audit()->mutable_summary();
  summary.set_given(9);
  summary.set_reproduced(4);
  summary.set_ambiguous(1);
  summary.set_not_reproducible(2);
  summary.set_could_be_chance(1);
  EXPECT_EQ(VerdictText(records),
            "2 predictions; 4 of 8 printed results follow from their tables, 1 in more than one way");
  proto::AuditedValue& value = *records[2].mutable_audit()->add_value();
  value.set_finding(proto::REPRODUCED);
  value.add_flag("lost_digit");
  EXPECT_EQ(
      VerdictText(records),
      "2 predictions; 4 of 8 printed results follow from their tables, 1 in more than one way, 1 only with a lost "
      "digit restored");
  for (const uint32_t numbers : {9, 3}) {
    records[2].mutable_audit()->add_left_out()->set_numbers(numbers);
  }
  records.erase(records.begin(), records.begin() + 2);
  EXPECT_EQ(VerdictText(records),
            "4 of 8 printed results follow from their tables, 1 in more than one way, 1 only with a lost digit "
            "restored; 12 numbers left out");
  EXPECT_EQ(VerdictText({}), "no results");
}

}  // namespace
}  // namespace lockstep
