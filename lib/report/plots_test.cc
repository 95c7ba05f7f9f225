#include "lib/report/plots.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallSweep;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PlotsTest, EpochTimeHasAnErrorBarOfOneDeviation) {
  const std::vector<proto::Plot> plots = EpochTimePlots(SmallLab());
  ASSERT_THAT(plots, SizeIs(1));
  const proto::Series& with = plots[0].series(0);
  EXPECT_THAT(with.x(), ElementsAre(32, 128));  // 512 did not fit: no point
  EXPECT_THAT(with.y(), ElementsAre(DoubleNear(4, 1e-12), 2));
  EXPECT_THAT(with.y_low(), ElementsAre(DoubleNear(3.9, 1e-12), 2));
  EXPECT_THAT(with.y_high(), ElementsAre(DoubleNear(4.1, 1e-12), 2));
  EXPECT_TRUE(plots[0].x_log());
}

TEST(PlotsTest, ASingleBatchIsNoPlot) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points.resize(1);
  EXPECT_THAT(EpochTimePlots(lab), IsEmpty());
}

TEST(PlotsTest, EachSweepHasAPlotWithAnIdOfItsOwn) {
  LabRecords lab = SmallLab();
  lab.sweeps.push_back(SmallSweep());
  const std::vector<proto::Plot> plots = EpochTimePlots(lab);
  ASSERT_THAT(plots, SizeIs(2));
  EXPECT_EQ(plots[0].id(), "epoch_time");
  EXPECT_EQ(plots[1].id(), "epoch_time_2");
}

TEST(PlotsTest, ManyStandBehindAHeading) {
  LabRecords lab = SmallLab();
  lab.sweeps.assign(8, SmallSweep());
  EXPECT_EQ(EpochTimePlots(lab)[7].group(), "");
  lab.sweeps.push_back(SmallSweep());
  EXPECT_THAT(EpochTimePlots(lab)[0].group(), ::testing::EndsWith("of each record: 9 plots"));
}

TEST(PlotsTest, EfficiencyIsInPerCentAndHasItsIdealLine) {
  const std::vector<proto::Plot> plots = SpeedupPlots(SmallLab());
  ASSERT_THAT(plots, SizeIs(1));
  ASSERT_THAT(plots[0].series(), SizeIs(3));  // two batches and the ideal
  EXPECT_THAT(plots[0].series(0).x(), ElementsAre(2));
  EXPECT_THAT(plots[0].series(0).y(), ElementsAre(DoubleNear(80, 1e-9)));  // 1.6 times the speed of one, of two
  EXPECT_THAT(plots[0].series(0).y_high(), ElementsAre(DoubleNear(85, 1e-9)));
  EXPECT_TRUE(plots[0].series(2).reference());
  EXPECT_THAT(plots[0].series(2).y(), ElementsAre(100, 100));
}

TEST(PlotsTest, PartsAreSideBySideIfOneIsFarBelow0) {
  const std::vector<proto::Plot> plots = SplitPlots(SmallLab());
  ASSERT_THAT(plots, SizeIs(1));
  EXPECT_EQ(plots[0].kind(), proto::GROUPED_BARS);
  EXPECT_THAT(plots[0].tick(), ElementsAre("2 x 32", "2 x 128"));
  EXPECT_THAT(plots[0].series(1).y(), ElementsAre(DoubleNear(0.3, 1e-12), DoubleNear(-0.06, 1e-12)));
}

TEST(PlotsTest, PartsAreSharesIfNoneIsFarBelow0) {
  LabRecords lab = SmallLab();
  lab.comm_models[0].rows.resize(2);
  EXPECT_EQ(SplitPlots(lab)[0].kind(), proto::SHARE_BARS);
  lab.comm_models[0].rows = SmallLab().comm_models[0].rows;
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    if (row.batch_per_device() == 128 && row.ranks() == 2) {
      row.mutable_communication_seconds()->set_value(-0.02);  // a rest of -0.03 of 0.7 s
    }
  }
  EXPECT_EQ(SplitPlots(lab)[0].kind(), proto::SHARE_BARS);
  EXPECT_EQ(SplitPlots(lab)[0].tick_size(), 2);
}

TEST(PlotsTest, AnExposedTimeBelow0IsNotDrawn) {
  LabRecords lab = SmallLab();
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    if (row.batch_per_device() == 128) {
      row.mutable_exposed_event_seconds()->set_value(-0.02);
    }
  }
  EXPECT_THAT(SplitPlots(lab)[0].tick(), ElementsAre("2 x 32"));
}

TEST(PlotsTest, NoRecordsNoPlots) {
  EXPECT_THAT(EpochTimePlots(LabRecords()), IsEmpty());
  EXPECT_THAT(SpeedupPlots(LabRecords()), IsEmpty());
  EXPECT_THAT(SplitPlots(LabRecords()), IsEmpty());
}

}  // namespace
}  // namespace lockstep
