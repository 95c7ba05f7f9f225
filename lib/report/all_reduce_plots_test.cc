#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/plots.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const proto::Series* Find(const proto::Plot& plot, const std::string& label) {
  for (const proto::Series& series : plot.series()) {
    if (series.label().find(label) == 0) {
      return &series;
    }
  }
  return nullptr;
}

TEST(AllReducePlotsTest, MeasuredFitAndBoundOfAFit) {
  LabRecords lab = SmallLab();
  lab.comm_models[0].spec.clear_nominal_link_bytes_per_second();
  const std::vector<proto::Plot> plots = AllReducePlots(lab);
  ASSERT_THAT(plots, SizeIs(1));  // the other fit has no point
  const proto::Series* const measured = Find(plots[0], "measured");
  ASSERT_NE(measured, nullptr);
  EXPECT_THAT(measured->x(), ElementsAre(DoubleNear(1e-3, 1e-12), 1));
  EXPECT_THAT(measured->y(), ElementsAre(DoubleNear(0.1, 1e-12), DoubleNear(50, 1e-9)));  // two ranks: bytes / time
  const proto::Series* const model = Find(plots[0], "fit");
  ASSERT_NE(model, nullptr);
  EXPECT_TRUE(model->joined());
  EXPECT_EQ(model->provenance(), proto::MODELLED);
  const proto::Series* const bound = Find(plots[0], "bound of the fit, 1 / beta: 250 GB/s");
  ASSERT_NE(bound, nullptr);
  EXPECT_TRUE(bound->reference());
  EXPECT_THAT(bound->y(), ElementsAre(DoubleNear(250, 1e-9), DoubleNear(250, 1e-9)));
}

// 44,695,848 bytes in 0.2 ms, except for one operation of the first point, which was disturbed.
TEST(AllReducePlotsTest, TheGradientIsThatOfAllPoints) {
  LabRecords lab = SmallLab();
  for (proto::ScalePoint& point : lab.scales[0].points) {
    if (point.ranks() == 2 && point.batch_per_device() == 32 && point.has_probe()) {
      point.mutable_probe()->mutable_seconds()->set_value(0, 0.0004);
    }
  }
  const std::vector<proto::Plot> plots = AllReducePlots(lab);
  const proto::Series* const gradient = Find(plots[0], "the gradient, by scale_run");
  ASSERT_NE(gradient, nullptr);
  EXPECT_THAT(gradient->y(), ElementsAre(DoubleNear(223.48, 0.01)));
}

TEST(AllReducePlotsTest, TheNominalLinkIsTheBoundWhereItIsGiven) {
  LabRecords lab = SmallLab();
  lab.comm_models[0].spec.mutable_nominal_link_bytes_per_second()->set_value(450e9);
  EXPECT_NE(Find(AllReducePlots(lab)[0], "nominal link, 450.0 GB/s"), nullptr);
}

TEST(AllReducePlotsTest, OneSizeIsNoPlot) {
  LabRecords lab = SmallLab();
  lab.comm_models[0].all_reduce_fits[0].mutable_point()->RemoveLast();
  EXPECT_THAT(AllReducePlots(lab), IsEmpty());
}

}  // namespace
}  // namespace lockstep
