#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/plots.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLargeBatch;
using ::lockstep::testing::SmallSweep;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

// Returns a sweep with two epochs of the first point.
LabRecords TwoEpochs() {
  LabRecords lab;
  lab.sweeps.push_back(SmallSweep());
  auto& epochs = *lab.sweeps[0].points[0].mutable_epoch();
  epochs.Clear();
  for (const double loss : {2.0, 1.5}) {
    proto::EpochResult& epoch = *epochs.Add();
    epoch.set_epoch(static_cast<uint32_t>(epochs.size()) - 1);
    epoch.set_mean_loss(loss);
    epoch.set_train_accuracy(1 / loss);
  }
  return lab;
}

TEST(TrainingPlotsTest, LossAndAccuracyPerEpoch) {
  const std::vector<proto::Plot> plots = TrainingPlots(TwoEpochs());
  ASSERT_THAT(plots, SizeIs(2));
  EXPECT_EQ(plots[0].id(), "loss");
  EXPECT_EQ(plots[1].id(), "accuracy");
  EXPECT_THAT(plots[0].series(0).x(), ElementsAre(1, 2));
  EXPECT_THAT(plots[0].series(0).y(), ElementsAre(2, 1.5));
  EXPECT_THAT(plots[1].series(0).y(), ElementsAre(50, DoubleNear(200 / 3., 1e-12)));
}

TEST(TrainingPlotsTest, TestAccuraciesAreShownWhereThereAreTwo) {
  LabRecords lab = TwoEpochs();
  for (proto::EpochResult& epoch : *lab.sweeps[0].points[0].mutable_epoch()) {
    epoch.set_test_accuracy(0.4);
  }
  const proto::Plot accuracy = TrainingPlots(lab)[1];
  EXPECT_EQ(accuracy.title().find("Accuracy on the test set"), 0u);
  EXPECT_THAT(accuracy.series(0).y(), ElementsAre(40, 40));
}

TEST(TrainingPlotsTest, OfManyCurvesTheFirstTenAreShown) {
  LabRecords lab = TwoEpochs();
  lab.sweeps[0].points.assign(12, proto::SweepPoint(lab.sweeps[0].points[0]));
  EXPECT_THAT(TrainingPlots(lab)[0].series(), SizeIs(10));
}

TEST(TrainingPlotsTest, MoreThanFourLinesAreInSmallPlots) {
  LabRecords lab = TwoEpochs();
  const proto::SweepPoint point = lab.sweeps[0].points[0];
  lab.sweeps[0].points.assign(4, point);
  EXPECT_EQ(TrainingPlots(lab)[0].series(0).panel(), "");
  EXPECT_EQ(TrainingPlots(lab)[0].series(0).label(), "batch 32");
  lab.sweeps[0].points.assign(5, point);
  EXPECT_EQ(TrainingPlots(lab)[0].series(0).panel(), "batch 32");
  EXPECT_EQ(TrainingPlots(lab)[1].series(0).label(), "");
}

TEST(TrainingPlotsTest, OneEpochIsNoCurve) {
  LabRecords lab = TwoEpochs();
  lab.sweeps[0].points[0].mutable_epoch()->RemoveLast();
  lab.sweeps[0].points.resize(1);
  EXPECT_THAT(TrainingPlots(lab), IsEmpty());
}

TEST(TrainingPlotsTest, ALargeBatchHasADotPerRow) {
  LabRecords lab;
  lab.scales.push_back(SmallLargeBatch());
  const std::vector<proto::Plot> plots = LargeBatchPlots(lab);
  ASSERT_THAT(plots, SizeIs(1));
  EXPECT_EQ(plots[0].kind(), proto::RANKED_DOTS);
  EXPECT_EQ(plots[0].mark_size(), 1);  // the base batch
  const proto::Series& series = plots[0].series(0);
  ASSERT_GT(series.x_size(), 1);
  EXPECT_EQ(series.x_size(), plots[0].tick_size());
  for (int i = 0; i < series.x_size(); ++i) {
    EXPECT_LE(series.y_low(i), series.y(i));
    EXPECT_LE(series.y(i), series.y_high(i));
  }
  EXPECT_THAT(series.y(), Each(Le(100)));
}

}  // namespace
}  // namespace lockstep
