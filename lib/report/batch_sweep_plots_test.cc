#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/plots.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallSweep;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Ids(const std::vector<proto::Plot>& plots) {
  std::vector<std::string> ids;
  for (const proto::Plot& plot : plots) {
    ids.push_back(plot.id());
  }
  return ids;
}

std::vector<std::string> Marks(const proto::Plot& plot) {
  std::vector<std::string> labels;
  for (const proto::Mark& mark : plot.mark()) {
    labels.push_back(mark.label());
  }
  return labels;
}

// Returns SmallSweep and a sweep of the same network in bf16 by the fused step, with predictions and the exact largest
// batch.
LabRecords TwoSweeps() {
  LabRecords lab = SmallLab();
  lab.sweeps.push_back(SmallSweep());
  LabSweep& fused = lab.sweeps.back();
  fused.input.set_path("/lab/fused.rec");
  fused.spec.mutable_training()->set_precision(proto::BF16);
  fused.spec.mutable_training()->set_step(proto::FUSED);
  for (proto::SweepPoint& point : fused.points) {
    point.set_predicted_memory_bytes(uint64_t{point.batch_size()} * 100'000'000);
  }
  fused.end.set_largest_fitting_batch(317);
  fused.end.set_smallest_failing_batch(318);
  return lab;
}

TEST(BatchSweepPlotsTest, TheShareOfThePeakIsOfEachPointsOwnCeiling) {
  LabRecords lab = SmallLab();
  LabSweep& sweep = lab.sweeps[0];
  proto::SweepPoint& point = sweep.points[0];
  point.mutable_matmul_ceiling()->set_size(1000);
  point.mutable_matmul_ceiling()->mutable_product_seconds()->add_value(0.001);  // 2e12 FLOP/s
  const double flop = 6 * sweep.spec.model().forward_macs_per_image() * static_cast<double>(point.images_per_epoch());
  double step = 0;
  for (const double seconds : point.step_seconds().value()) {
    step += seconds / point.step_seconds().value_size();
  }
  const std::vector<proto::Plot> plots = BatchSweepPlots(lab);
  ASSERT_THAT(Ids(plots), ElementsAre("batch_sweep_rate", "batch_sweep_share", "batch_sweep_memory"));
  EXPECT_THAT(plots[1].series(0).x(), ElementsAre(32));
  EXPECT_THAT(plots[1].series(0).y(), ElementsAre(DoubleNear(100 * flop / step / 2e12, 1e-9)));
}

TEST(BatchSweepPlotsTest, OneSweepHasRatesAndMemory) {
  const std::vector<proto::Plot> plots = BatchSweepPlots(SmallLab());
  ASSERT_THAT(Ids(plots), ElementsAre("batch_sweep_rate", "batch_sweep_memory"));
  ASSERT_THAT(plots[0].series(), SizeIs(1));
  EXPECT_THAT(plots[0].series(0).x(), ElementsAre(32, 128));
  EXPECT_THAT(plots[0].series(0).y(), ElementsAre(12'500, 25'000));  // 50,000 images in 4 s and 2 s
  EXPECT_THAT(plots[0].series(0).y_low(), ElementsAre(DoubleNear(50'000 / 4.1, 1e-9), 25'000));
  EXPECT_EQ(plots[0].series(0).provenance(), proto::DERIVED);
  ASSERT_THAT(plots[1].series(), SizeIs(1));
  EXPECT_THAT(plots[1].series(0).y(), ElementsAre(1.5, 3));
}

TEST(BatchSweepPlotsTest, SeveralSweepsStandSideBySide) {
  const std::vector<proto::Plot> plots = BatchSweepPlots(TwoSweeps());
  ASSERT_THAT(Ids(plots), ElementsAre("batch_sweep_time", "batch_sweep_rate", "batch_sweep_memory"));
  ASSERT_THAT(plots[0].series(), SizeIs(2));
  EXPECT_EQ(plots[0].series(0).label(), "fp32 (TF32 off)");
  EXPECT_EQ(plots[0].series(1).label(), "bf16, fused step");
  const proto::Plot& memory = plots[2];
  ASSERT_THAT(memory.series(), SizeIs(3));  // the first sweep has no predictions
  EXPECT_EQ(memory.series(1).label(), "bf16, fused step, measured");
  EXPECT_EQ(memory.series(2).label(), "bf16, fused step, predicted");
  EXPECT_EQ(memory.series(2).provenance(), proto::MODELLED);
  EXPECT_THAT(memory.series(2).x(), ElementsAre(32, 128, 512));  // includes the batch that did not fit
}

TEST(BatchSweepPlotsTest, MarksReportWhereAndWhyASweepEnds) {
  const std::vector<proto::Plot> plots = BatchSweepPlots(TwoSweeps());
  EXPECT_THAT(Marks(plots[1]), ElementsAre("fp32 (TF32 off): 512 ends the sweep: out of memory",
                                           "bf16, fused step: 317 is the largest that fits",
                                           "bf16, fused step: 512 ends the sweep: out of memory"));
  EXPECT_EQ(plots[1].mark(1).x(), 317);
  EXPECT_THAT(plots[1].description(), HasSubstr("317 is the largest that fits"));
  LabRecords lab = SmallLab();
  lab.sweeps[0].points.pop_back();
  lab.sweeps[0].end.set_reason(proto::END_MAX_BATCH);
  EXPECT_THAT(Marks(BatchSweepPlots(lab)[0]), ElementsAre("fp32 (TF32 off): 128 is the last one requested"));
}

TEST(BatchSweepPlotsTest, SweepsOfOneKindAreDistinguishedByTheirRecords) {
  LabRecords lab = SmallLab();
  lab.sweeps.push_back(SmallSweep());
  EXPECT_EQ(BatchSweepPlots(lab)[0].series(1).label(), "fp32 (TF32 off) (sweep.rec)");
}

TEST(BatchSweepPlotsTest, TitlesNameTheRunsByTheirLetters) {
  LabRecords lab = SmallLab();
  EXPECT_EQ(BatchSweepPlots(lab)[0].title(), "Images per second against batch size, run A");
  lab.sweeps.push_back(SmallSweep());
  EXPECT_EQ(BatchSweepPlots(lab)[0].title(), "Time of an epoch against batch size, runs A and B");
  lab.sweeps.assign(5, SmallSweep());
  EXPECT_EQ(BatchSweepPlots(lab)[0].title(), "Time of an epoch against batch size, 5 runs");
}

TEST(BatchSweepPlotsTest, AnotherNetworkHasPlotsOfItsOwn) {
  LabRecords lab = SmallLab();
  lab.sweeps.push_back(SmallSweep());
  lab.sweeps[1].spec.mutable_training()->set_model("lenet5");
  EXPECT_THAT(Ids(BatchSweepPlots(lab)),
              ElementsAre("batch_sweep_rate", "batch_sweep_memory", "batch_sweep_rate_2", "batch_sweep_memory_2"));
}

TEST(BatchSweepPlotsTest, ASingleBatchIsNoBatchSweep) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points.resize(1);
  EXPECT_THAT(BatchSweepPlots(lab), IsEmpty());
  EXPECT_THAT(BatchSweepPlots(LabRecords()), IsEmpty());
}

}  // namespace
}  // namespace lockstep
