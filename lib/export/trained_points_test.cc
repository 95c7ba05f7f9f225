#include "lib/export/trained_points.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

LabRecords TwoPointsOfOneName() {
  LabRecords lab;
  LabSweep& sweep = lab.sweeps.emplace_back();
  sweep.input.set_path("runs/a sweep.rec");
  sweep.header.set_start_time("1970-01-01T00:01:40+00:00");
  for (int i = 0; i < 3; ++i) {
    sweep.points.emplace_back().set_batch_size(32);
  }
  sweep.points[0].add_epoch();
  sweep.points[2].add_epoch();
  return lab;
}

TEST(TrainedPointsTest, APointWithoutEpochsIsLeftOut) {
  const LabRecords lab = TwoPointsOfOneName();
  const std::vector<TrainedPoint> points = TrainedPointsOf(lab);
  ASSERT_EQ(points.size(), 2);
  EXPECT_EQ(points[0].name, "a_sweep.batch_32");
  EXPECT_EQ(points[1].name, "a_sweep.batch_32_2");
  EXPECT_EQ(points[1].number, 3);
  EXPECT_EQ(points[1].record, "a sweep.rec");
  EXPECT_EQ(points[1].begin_seconds, 100);
}

TEST(TrainedPointsTest, RowsOfAnExperimentAreNamedAndHaveTheirOwnTraining) {
  LabRecords lab;
  LabScale& scale = lab.scales.emplace_back();
  scale.input.set_path("large.rec");
  scale.spec.mutable_training()->set_seed(1);
  proto::ScalePoint& point = scale.points.emplace_back();
  point.set_ranks(2);
  point.set_batch_per_device(4096);
  point.set_global_batch(8192);
  point.set_reduction(proto::ALL_REDUCE);
  point.set_row("8192, zero gamma/..");
  point.mutable_training()->set_seed(7);
  point.add_epoch();
  const std::vector<TrainedPoint> points = TrainedPointsOf(lab);
  ASSERT_EQ(points.size(), 1);
  EXPECT_EQ(points[0].name, "large.2_ranks.batch_4096.all_reduce.8192__zero_gamma_..");
  EXPECT_EQ(points[0].global_batch, 8192);
  EXPECT_EQ(points[0].training->seed(), 7);
}

TEST(TrainedPointsTest, SweepsComeFirst) {
  const LabRecords lab = testing::SmallLab();
  const std::vector<TrainedPoint> points = TrainedPointsOf(lab);
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points[0].record, "sweep.rec");
  EXPECT_TRUE(points[0].completed);
  EXPECT_EQ(points[0].training->model(), "resnet18");
}

}  // namespace
}  // namespace lockstep
