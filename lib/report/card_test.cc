#include "lib/report/card.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/sentences.h"
#include "lib/report/shown_tables_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectWellFormed;
using ::lockstep::testing::RowOf;
using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallLargeBatch;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string VerdictOf(const LabRecords& lab, const std::string& question) {
  const proto::Section card = CardSection(lab);
  for (const proto::Claim& claim : card.claim()) {
    if (claim.question() == question) {
      EXPECT_EQ(claim.link(), "answer-" + question);
      return claim.text();
    }
  }
  return "none";
}

TEST(CardTest, EachVerdictHasItsFigureAndInterval) {
  const LabRecords lab = SmallLab();
  EXPECT_THAT(
      VerdictOf(lab, "Q1"),
      HasSubstr("The best batch is 128: 2.00 [1.88, 2.14] times as fast as 32. On one device, an epoch of 50,000 "
                "images without data loading takes 3.000 ± 0 s at batch 32 and 1.50 ± 0.10 s at batch 128."));
  EXPECT_THAT(VerdictOf(lab, "Q2"),
              AllOf(HasSubstr("2 devices train an epoch 1.67"),
                    HasSubstr(" times as fast as one at batch 128 per device and 1.60 [1.50, 1.70] at 32 (ideal 2)")));
  EXPECT_THAT(VerdictOf(lab, "Q3"),
              AllOf(HasSubstr("0.500 s of 2.00 s per epoch (25 %) by the lab's subtraction, at 69.9 GB/s, 31 % of the "
                              "measured link; exposed communication by events: 0.200 s; all-reduces ran for 0.500 s, "
                              "overlapped or not, at 69.9 GB/s, 31 %")));
}

// A bandwidth follows the time from which it is computed, and is omitted if it is above the link.
TEST(CardTest, NoBandwidthIsAboveTheLink) {
  LabRecords lab = SmallLab();
  proto::ScalingRow row = lab.comm_models[0].rows[1];
  row.mutable_bandwidth_bytes_per_second()->set_value(480e9);
  lab.comm_models[0].rows[1] = row;
  std::vector<proto::ScalingRow> rows;
  rows.swap(lab.comm_models[0].rows);
  for (const proto::ScalingRow& one : rows) {
    AddScalingRow(one, lab.comm_models[0]);
  }
  EXPECT_THAT(VerdictOf(lab, "Q3"),
              AllOf(HasSubstr("(25 %) by the lab's subtraction; exposed communication"),
                    HasSubstr("0.500 s, overlapped or not, at 69.9 GB/s"), Not(HasSubstr("480"))));
}

// The slowest batch is the last one.
TEST(CardTest, Q1AgreesWithTheAnswer) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points.push_back(lab.sweeps[0].points[0]);
  lab.sweeps[0].points.back().set_batch_size(2048);
  const std::string best = "The best batch is 128: 2.00 [1.88, 2.14] times as fast as 32.";
  EXPECT_THAT(VerdictOf(lab, "Q1"), HasSubstr(best));
  EXPECT_THAT(AnswerQ1(lab).text(), HasSubstr(best));
}

TEST(CardTest, OneRepeatIsNoVerdictOnADifference) {
  LabRecords lab = SmallLab();
  for (proto::SweepPoint& point : lab.sweeps[0].points) {
    if (!point.step_seconds().value().empty()) {
      point.mutable_step_seconds()->mutable_value()->Truncate(1);
    }
  }
  EXPECT_THAT(VerdictOf(lab, "Q1"), AllOf(HasSubstr("cannot be compared"), Not(HasSubstr("times as fast"))));
}

TEST(CardTest, ALargeBatchIsHeldAgainstTheBase) {
  LabRecords lab = SmallLab();
  EXPECT_EQ(VerdictOf(lab, "Q4"), "none");
  lab.scales.push_back(SmallLargeBatch());
  EXPECT_THAT(
      VerdictOf(lab, "Q4"),
      AllOf(HasSubstr("Global batch 8192 reaches"),
            HasSubstr("; the best single remedy by validation accuracy, clipping, reaches 42.00 [41.00, 43.00] %.")));
  lab.scales.back() = ::lockstep::testing::OldLargeBatch();
  EXPECT_THAT(VerdictOf(lab, "Q4"), Not(HasSubstr("best")));
}

TEST(CardTest, TheTablesAreTheLabs) {
  const proto::Section card = CardSection(SmallLab());
  ExpectWellFormed({card});
  ASSERT_EQ(card.table_size(), 3);
  EXPECT_EQ(card.table(0).id(), "table-1");
  EXPECT_THAT(RowOf(card.table(1), 0), ElementsAre("2", "1.500", "0.5000", "0.7500", "-0.05000"));
}

TEST(CardTest, WithoutRecordsItIsEmpty) {
  EXPECT_TRUE(CardSection(LabRecords()).claim().empty());
  EXPECT_TRUE(CardSection(LabRecords()).table().empty());
}

}  // namespace
}  // namespace lockstep
