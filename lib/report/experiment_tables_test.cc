// The sections of DataParallel and of the experiments, from small records.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/shown_tables_testing.h"
#include "lib/report/tables.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectWellFormed;
using ::lockstep::testing::RowOf;
using ::lockstep::testing::SmallDataParallel;
using ::lockstep::testing::SmallDataParallelModel;
using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallLargeBatch;
using ::lockstep::testing::SmallSampler;
using ::lockstep::testing::SmallSent;
using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

LabRecords Lab() {
  LabRecords lab = SmallLab();
  lab.scales.push_back(SmallDataParallel());
  lab.comm_models.push_back(SmallDataParallelModel());
  for (LabScale& scale : std::vector<LabScale>{SmallLargeBatch(), SmallSampler(), SmallSent()}) {
    lab.scales.push_back(scale);
  }
  return lab;
}

proto::Table TableOf(const LabRecords& lab, const std::string& caption) {
  return ::lockstep::testing::TableOf(BuildSections(lab), caption);
}

TEST(ExperimentTablesTest, TablesAreWellFormed) { ExpectWellFormed(BuildSections(Lab())); }

// 3 s against a mean of 2.4, 2.5 and 2.6 s.
TEST(ExperimentTablesTest, DataParallelIsComparedWithDdpOfTheSameStep) {
  EXPECT_THAT(
      RowOf(TableOf(Lab(), "DataParallel compared with DDP"), 0),
      ElementsAre("2", "32", "3.000 ± 0 (2)", "2.50 ± 0.10 (3)", "1.200", "1.33 [1.50, 1.70]", "1.60 [1.50, 1.70]"));
  LabRecords other = Lab();
  other.scales[0].spec.set_preset("fast");
  EXPECT_THAT(RowOf(TableOf(other, "DataParallel compared with DDP"), 0)[3], HasSubstr("no scale.rec of --mode=ddp"));
}

// The phases of an epoch of 2.5 s: 0.1 + 0.2 + 0.05 + 0.05 + 0.1 = 0.5 s.
TEST(ExperimentTablesTest, AnEpochsPartsAndWhatIsMoving) {
  const std::vector<std::string> row = RowOf(TableOf(Lab(), "Where a DataParallel step goes"), 0);
  EXPECT_EQ(row[2], "0.2558 (1)");  // 0.2 s / 782 steps
  EXPECT_EQ(row.back(), "20.0");
}

TEST(ExperimentTablesTest, TheStarsFormulaIsComparedWithItsRun) {
  const proto::Table table = TableOf(Lab(), "The star's formula and its run");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("2", "32", "45.00", "45.04", "38,560", "44.70", "44.70", "0", "0.4500",
                                           "0.5000", "-10.0", "20.00", "179.0"));
  EXPECT_EQ(table.row(0).cell(8).provenance(), proto::MODELLED);
}

// DataParallel has Table 1, the lab's subtraction and the bandwidth of device 0's link, but no all-reduce and hence no
// buckets.
TEST(ExperimentTablesTest, DataParallelIsInTheLabsTables) {
  LabRecords lab;
  lab.scales.push_back(SmallDataParallel());
  lab.comm_models.push_back(SmallDataParallelModel());
  EXPECT_THAT(RowOf(TableOf(lab, "Table 1"), 1), ElementsAre("2", "3.000 ± 0 (2)", "1.33 [1.50, 1.70]", _));
  EXPECT_THAT(TableOf(lab, "Table 3").caption(), HasSubstr("device 0's link"));
  for (const proto::Section& section : BuildSections(lab)) {
    for (const proto::Table& table : section.table()) {
      EXPECT_THAT(table.caption(), Not(HasSubstr("buckets")));
    }
  }
}

TEST(ExperimentTablesTest, ALargeBatchHasMeansOverItsSeeds) {
  const proto::Table table = TableOf(Lab(), "Large batches");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("128", "3", "5", "1955", "1.10 [1.00, 1.20]", "67.00 [65.00, 69.00]",
                                           "61.00 [59.00, 63.00]", "62.00 [60.00, 64.00]", "10"));
  EXPECT_THAT(RowOf(table, 5), ElementsAre("8192, clipping", "2 of 3", "5", "35", "1.500", "47.00 [46.00, 48.00]",
                                           "41.00 [40.00, 42.00]", "42.00 [41.00, 43.00]", "10"));
  EXPECT_THAT(table.note(), Contains(HasSubstr("on 5000 training images that no row was trained on")));
}

// Accuracies. Clipping: 42, against 22 without a remedy and 62 for the base batch; half of the loss. All, with a
// cosine: 32, against 22 and 63; 10 of 41. All, longer: 61, against 25 and 66; 36 of 41.
TEST(ExperimentTablesTest, ARemedyIsComparedWithNoneAndTheBaseOfItsSchedule) {
  const proto::Table table = TableOf(Lab(), "What each remedy brings back");
  EXPECT_THAT(RowOf(table, 0),
              ElementsAre("8192", "none", "as the base batch is trained", "22.00 [20.00, 24.00]", "(compared with)",
                          "(compared with)", "6", "25.00 [23.00, 27.00]", "(compared with)"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("8192", "clipping", "gradient clipped to norm 1.0", "42.00 [41.00, 43.00]",
                                           "+20.00", "50.0", _, _, HasSubstr("- longer training")));
  EXPECT_EQ(RowOf(table, 3)[1], "clipping and ghost batch norm (a combination)");
  EXPECT_THAT(RowOf(table, 4),
              ElementsAre("8192", "all",
                          "half a cosine decay; last gamma of each block starts at 0; gradient clipped to norm 1.0",
                          "32.00 [30.00, 34.00]", "+10.00", "24.4", "6", "61.00 [60.00, 62.00]", "87.8"));
  EXPECT_THAT(table.note(), Contains("Base batch, row 128: 62.00 [60.00, 64.00] % in 1955 updates."));
  EXPECT_THAT(table.note(), Contains("Base batch, row 128, cosine, longer: 66.00 [64.00, 68.00] % in 2346 updates."));
}

// Label smoothing: 26 against 22, with deviations of 2. A single comparison would have p = 0.07.
TEST(ExperimentTablesTest, WhatIsNotSignificantIsBlank) {
  const std::vector<std::string> row = RowOf(TableOf(Lab(), "What each remedy"), 2);
  EXPECT_EQ(row[3], "26.00 [24.00, 28.00]");
  EXPECT_EQ(row[4], "- within the spread of 3 seeds, p = 0.070 after Holm's correction for 5 comparisons");
  EXPECT_EQ(row[5], row[4]);
}

TEST(ExperimentTablesTest, ALossThatIsNotSignificantHasNoShares) {
  LabRecords lab = Lab();
  for (proto::ScalePoint& point : lab.scales[2].points) {
    if (point.row() == "128") {
      point.mutable_epoch(4)->set_test_accuracy(point.training().seed() % 2 == 0 ? 0.05 : 0.9);
    }
  }
  const proto::Table table = TableOf(lab, "What each remedy");
  EXPECT_EQ(RowOf(table, 1)[4], "+20.00");
  EXPECT_THAT(RowOf(table, 1)[5], HasSubstr("- loss of the batch: within the spread of 3 seeds, p = "));
  EXPECT_EQ(RowOf(table, 4)[5], "24.4");  // the row with a base row of its own
  for (proto::ScalePoint& point : lab.scales[2].points) {
    if (point.row() == "128") {
      point.mutable_epoch(4)->set_test_accuracy(0.01 + 0.001 * static_cast<double>(point.training().seed()));
    }
  }
  EXPECT_EQ(RowOf(TableOf(lab, "What each remedy"), 1)[5], "- the large batch costs no accuracy here");
}

TEST(ExperimentTablesTest, OneSeedHasNoDifferences) {
  LabRecords lab = Lab();
  std::vector<proto::ScalePoint>& points = lab.scales[2].points;
  points.erase(std::remove_if(points.begin(), points.end(),
                              [](const proto::ScalePoint& point) { return point.training().seed() != 7; }),
               points.end());
  const proto::Table table = TableOf(lab, "What each remedy");
  for (const int row : {1, 2, 3, 4}) {
    EXPECT_EQ(RowOf(table, row)[4], "- one seed has no spread");
    EXPECT_THAT(RowOf(table, row)[5], HasSubstr("one seed"));
  }
}

// The record has no base row with a cosine, and none that was trained longer.
TEST(ExperimentTablesTest, ARecordFromBeforeThereWereBaseRowsIsShown) {
  LabRecords lab = SmallLab();
  lab.scales.push_back(::lockstep::testing::OldLargeBatch());
  const proto::Table rows = TableOf(lab, "Large batches");
  EXPECT_THAT(RowOf(rows, 0), ElementsAre("128", "3", "5", "1955", "1.10 [1.00, 1.20]", "67.00 [65.00, 69.00]",
                                          "62.00 [60.00, 64.00]", "10"));
  const proto::Table table = TableOf(lab, "What each remedy");
  EXPECT_EQ(RowOf(table, 1)[5], "50.0");
  EXPECT_EQ(RowOf(table, 4)[4], "+10.00");
  EXPECT_EQ(RowOf(table, 4)[5], "- no row of batch 128 was trained with this schedule for 5 epochs");
  EXPECT_EQ(RowOf(table, 4)[8], "- no row of batch 128 was trained with this schedule for 6 epochs");
  ExpectWellFormed(BuildSections(lab));
}

TEST(ExperimentTablesTest, ARowThatWasNotTrainedReportsWhy) {
  LabRecords lab = Lab();
  for (proto::ScalePoint& point : lab.scales[2].points) {
    if (point.row() == "8192") {
      point.set_outcome(proto::OUT_OF_MEMORY);
      point.set_detail("9 GiB");
    }
  }
  EXPECT_THAT(RowOf(TableOf(lab, "Large batches"), 4)[4], HasSubstr("not trained: out of memory (9 GiB)"));
  EXPECT_THAT(RowOf(TableOf(lab, "What each remedy"), 1)[4], HasSubstr("- the row, or the one without a remedy"));
  EXPECT_THAT(RowOf(TableOf(lab, "What each remedy"), 1)[5], HasSubstr("- the row, or the one without a remedy"));
}

TEST(ExperimentTablesTest, TheSamplersOrdersAreCountedAndShown) {
  const proto::Table table = TableOf(Lab(), "With and without the epoch number");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("with the epoch number", "3", "5", "5", "0.00", "1.10 [1.00, 1.20]", _,
                                           "62.00 [60.00, 64.00]"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("without", "3", "5", "1", "100.00", "1.300", _, "52.00 [50.00, 54.00]"));
  EXPECT_THAT(RowOf(TableOf(Lab(), "Images that each rank ever saw"), 1), ElementsAre("1", "96.88", "50.00"));
  EXPECT_THAT(RowOf(TableOf(Lab(), "The order of rank 0's images"), 1), ElementsAre("2", "order 0 1", "order 0 0"));
}

TEST(ExperimentTablesTest, BytesAreCountedByKind) {
  const proto::Table table = TableOf(Lab(), "What rank 0 sends");
  ASSERT_EQ(table.row_size(), 7);
  EXPECT_EQ(RowOf(table, 2)[1], "gradients");  // the first row of each kind
  EXPECT_THAT(RowOf(table, 3), ElementsAre("buffers broadcast", "batch-norm buffers", "1955", "75,384,800", "38,560",
                                           "0.0863", "- not timed by kind"));
  EXPECT_EQ(RowOf(table, 1)[4], "- not sent in steps");
  EXPECT_THAT(RowOf(TableOf(Lab(), "Is it enough"), 2), Contains("66.00 [65.00, 67.00]"));
}

TEST(ExperimentTablesTest, RunsOfFewerEpochsReportWhichTheyShow) {
  LabRecords lab = Lab();
  EXPECT_EQ(TableOf(lab, "Is it enough").column(4), "loss, epoch 5");
  for (proto::ScalePoint& point : lab.scales[4].points) {
    point.mutable_epoch()->DeleteSubrange(2, 3);
  }
  EXPECT_EQ(TableOf(lab, "Is it enough").column(4), "loss, the last epoch");
  for (int i = 0; i < 3; ++i) {
    *lab.scales[4].points[0].add_epoch() = lab.scales[4].points[0].epoch(0);
  }
  EXPECT_EQ(TableOf(lab, "Is it enough").column(4), "loss, epoch 5, or the last");
}

// Without a longer row, all cells of the columns for it would be blank.
TEST(ExperimentTablesTest, LongerTrainingHasColumnsWhereItIsARow) {
  LabRecords lab = Lab();
  EXPECT_EQ(TableOf(lab, "What each remedy").column_size(), 9);
  std::vector<proto::ScalePoint>& points = lab.scales[2].points;
  points.resize(points.size() - 6);
  EXPECT_EQ(TableOf(lab, "What each remedy").column_size(), 6);
}

// The epochs of experiments are in tables of their own.
TEST(ExperimentTablesTest, ExperimentsAreNotAmongTheLossesOfTimesTables) {
  for (const proto::Section& section : BuildSections(Lab())) {
    for (const proto::Table& table : section.table()) {
      if (section.id() == "training" || section.id() == "scaling") {
        EXPECT_THAT(table.caption(), AllOf(Not(HasSubstr("large.rec")), Not(HasSubstr("sent.rec"))));
      }
    }
  }
}

TEST(ExperimentTablesTest, DataParallelIsClaimedWithItsFields) {
  for (const proto::Section& section : BuildSections(Lab())) {
    if (section.id() == "data_parallel") {
      ASSERT_EQ(section.claim_size(), 1);
      EXPECT_THAT(section.claim(0).text(),
                  AllOf(HasSubstr("takes 1.20 times as long as by DDP at batch 32 per device (3.00 s against 2.50 s)"),
                        HasSubstr("At batch 32 per device, device 0 sends 45.04 MB and receives 44.70 MB in each step"),
                        HasSubstr("gives 0.450 ms (-10.0 % error)")));
      EXPECT_THAT(section.claim(0).source(), Not(IsEmpty()));
    }
  }
}

}  // namespace
}  // namespace lockstep
