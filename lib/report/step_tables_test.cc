#include "lib/report/step_tables.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/shown_tables_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::RowOf;
using ::lockstep::testing::SmallScale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void SetSpread(double mean_seconds, proto::StepSpread& spread) {
  spread.set_count(391);
  spread.set_mean_seconds(mean_seconds);
  spread.set_deviation_seconds(mean_seconds / 10);
  spread.set_p50_seconds(mean_seconds);
  spread.set_p90_seconds(2 * mean_seconds);
  spread.set_p99_seconds(3 * mean_seconds);
  spread.set_max_seconds(4 * mean_seconds);
}

// Returns a point of two ranks: backward takes 500 us, or 420 us without all-reduces; 60 us are exposed.
proto::ScalePoint Point(proto::Reduction reduction) {
  const bool reduced = reduction == proto::ALL_REDUCE;
  proto::ScalePoint point;
  point.set_mode(proto::DDP);
  point.set_ranks(2);
  point.set_batch_per_device(32);
  point.set_global_batch(64);
  point.set_reduction(reduction);
  point.set_outcome(proto::COMPLETED);
  proto::StepFigures& figures = *point.mutable_step_figures();
  figures.set_source("an instrumented epoch");
  figures.set_perturbation(1.01);
  SetSpread(reduced ? 500e-6 : 420e-6, *figures.mutable_backward_seconds());
  if (reduced) {
    SetSpread(60e-6, *figures.mutable_exposed_seconds());
    SetSpread(300e-6, *figures.mutable_busy_seconds());
    figures.mutable_exposed_seconds()->set_negative_count(2);
  }
  figures.mutable_wait_seconds()->set_absent_reason("one rank alone waits for none");
  for (uint32_t r = 0; r < 2; ++r) {
    proto::RankFacts& rank = *point.add_rank();
    rank.set_rank(r);
    rank.set_host("node7");
    rank.set_last_count(r == 0 ? 300 : 91);
    rank.mutable_device_watch()->set_absent_reason("device is a CPU");
    proto::StepMeans& means = *rank.mutable_step_means();
    means.set_step_seconds(reduced ? 900e-6 : 755e-6);
    means.set_forward_seconds(200e-6);
    means.set_backward_seconds(reduced ? 500e-6 : 420e-6);
    means.set_exposed_seconds(reduced ? 60e-6 : 0);
    means.set_update_seconds(100e-6);
    means.set_wait_seconds(r == 0 ? 0 : 25e-6);
  }
  return point;
}

std::vector<proto::Table> TablesOf(const std::vector<proto::ScalePoint>& points) {
  LabRecords lab;
  lab.scales.push_back(SmallScale());
  lab.scales[0].points = points;
  const std::vector<ScalingView> views = ScalingViews(lab);
  EXPECT_THAT(views, SizeIs(1));
  return StepTables(views.at(0));
}

TEST(StepTablesTest, EachFigureHasASpread) {
  const std::vector<proto::Table> tables = TablesOf({Point(proto::ALL_REDUCE), Point(proto::ABLATED)});
  ASSERT_THAT(tables, SizeIs(3));
  ASSERT_THAT(tables[0].row(), SizeIs(4));
  EXPECT_THAT(RowOf(tables[0], 1),
              ElementsAre("2", "32", "exposed", "391", "60.00", "6.000", "60.00", "120.0", "180.0", "240.0", "2"));
  EXPECT_EQ(RowOf(tables[0], 3)[3], "- one rank alone waits for none");
  EXPECT_THAT(tables[0].note(1), HasSubstr("N = 2, B = 32: an instrumented epoch (1.010 times as long"));
}

// 900 - 755 = 145 us = 60 exposed + 80 of backward + 5.
TEST(StepTablesTest, WhatAblationSavesIsTakenApart) {
  const std::vector<proto::Table> tables = TablesOf({Point(proto::ALL_REDUCE), Point(proto::ABLATED)});
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_THAT(RowOf(tables[1], 0), ElementsAre("2", "32", "145.0", "60.00", "80.00",
                                               "- not run through the reducer on one device", "0", "0", "5.000"));
  EXPECT_EQ(TablesOf({Point(proto::ALL_REDUCE)})[1].absent_reason(), "no point was run without all-reduces");
}

TEST(StepTablesTest, RanksAreComparedWithEachOther) {
  const std::vector<proto::Table> tables = TablesOf({Point(proto::ALL_REDUCE)});
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_THAT(RowOf(tables[2], 1), ElementsAre("2", "32", "1 on node7", "91", "25.00", "500.0", "- device is a CPU",
                                               "- device is a CPU", "- device is a CPU"));
}

TEST(StepTablesTest, OlderRecordsHaveNone) {
  proto::ScalePoint point = Point(proto::ALL_REDUCE);
  point.clear_step_figures();
  EXPECT_THAT(TablesOf({point}), IsEmpty());
}

}  // namespace
}  // namespace lockstep
