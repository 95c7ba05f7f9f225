#include "lib/lab_records/scaling_view.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallDataParallel;
using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallLargeBatch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ScalingViewTest, OneWayToTrainIsOneViewWithItsRows) {
  const LabRecords lab = SmallLab();
  const std::vector<ScalingView> views = ScalingViews(lab);
  ASSERT_THAT(views, SizeIs(1));
  EXPECT_EQ(views[0].Title(), "resnet18 on 2 x GPU <A&B> (scale.rec)");
  EXPECT_THAT(views[0].points, SizeIs(6));
  EXPECT_THAT(views[0].rows, SizeIs(3));  // rows without settings, as in older records, belong to the only way to train
}

// The same ranks and batch with another preset are another view, whose title names the preset and which has no row of
// the first.
TEST(ScalingViewTest, PointsOfOneRecordThatAreTrainedDifferentlyPart) {
  LabRecords lab = SmallLab();
  proto::ScalePoint fast = lab.scales[0].points[3];
  fast.set_preset("fast");
  fast.mutable_epoch_seconds()->set_value(0, 0.5);
  lab.scales[0].points.push_back(fast);
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_settings()->set_mode(proto::DDP);
    row.mutable_settings()->set_preset("fast");
  }
  const std::vector<ScalingView> views = ScalingViews(lab);
  ASSERT_THAT(views, SizeIs(2));
  EXPECT_THAT(views[0].Title(), HasSubstr("(scale.rec): DDP, lab preset"));
  EXPECT_THAT(views[1].Title(), HasSubstr("(scale.rec): DDP, fast preset"));
  EXPECT_THAT(views[1].points, SizeIs(1));
  EXPECT_THAT(views[1].Batches(), ElementsAre(32));
  EXPECT_THAT(views[1].Ranks(), ElementsAre(2));
  EXPECT_EQ(views[0].Point(2, 32, proto::ALL_REDUCE)->epoch_seconds().value(0), 2.4);
  EXPECT_EQ(views[1].Point(2, 32, proto::ALL_REDUCE)->epoch_seconds().value(0), 0.5);
  EXPECT_THAT(views[0].rows, SizeIs(0));
}

TEST(ScalingViewTest, OnlyTheTimedPointOfPooledRecordsHasAPooledRow) {
  LabRecords lab = SmallLab();
  EXPECT_EQ(ScalingViews(lab)[0].PooledRow(2, 32, proto::ALL_REDUCE), nullptr);
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.add_pooled_file("two.rec");
    row.add_pooled_file("four.rec");
  }
  const std::vector<ScalingView> views = ScalingViews(lab);
  EXPECT_EQ(views[0].PooledRow(2, 32, proto::ALL_REDUCE), views[0].Row(2, 32));
  EXPECT_NE(views[0].PooledRow(1, 32, proto::PLAIN), nullptr);
  EXPECT_EQ(views[0].PooledRow(1, 32, proto::ALL_REDUCE), nullptr);  // the reducer's own cost
  EXPECT_EQ(views[0].PooledRow(2, 32, proto::ABLATED), nullptr);
  EXPECT_EQ(views[0].PooledRow(2, 64, proto::ALL_REDUCE), nullptr);
}

TEST(ScalingViewTest, ExperimentsAreInNoView) {
  LabRecords lab;
  lab.scales = {SmallLargeBatch(), SmallDataParallel()};
  const std::vector<ScalingView> views = ScalingViews(lab);
  ASSERT_THAT(views, SizeIs(1));
  EXPECT_TRUE(views[0].data_parallel());
  EXPECT_THAT(views[0].Title(), HasSubstr("(dp.rec): DataParallel, lab preset"));
}

}  // namespace
}  // namespace lockstep
