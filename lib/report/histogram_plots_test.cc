#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/plots.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<proto::Plot> PlotsOf(const LabRecords& lab) {
  std::vector<std::string> left_out;
  std::vector<proto::Plot> plots = HistogramPlots(lab, left_out);
  EXPECT_THAT(left_out, IsEmpty());
  return plots;
}

std::vector<double> Marks(const proto::Plot& plot) {
  std::vector<double> marks;
  for (const proto::Mark& mark : plot.mark()) {
    marks.push_back(mark.x());
  }
  return marks;
}

TEST(HistogramPlotsTest, WeightsAreSharesWithTheEndsOfInt8AndOfThreeSigma) {
  const std::vector<proto::Plot> plots = PlotsOf(SmallLab());
  ASSERT_THAT(plots, SizeIs(4));  // weights and activations of conv1 in both networks
  EXPECT_EQ(plots[0].id(), "histogram");
  EXPECT_EQ(plots[3].id(), "histogram_4");
  EXPECT_EQ(plots[0].title(), "Weights of conv1, lenet5 (quantized.rec)");
  EXPECT_THAT(plots[0].series(0).x(), ElementsAre(-0.5, -0.25, 0, 0.25, 0.5));
  EXPECT_THAT(plots[0].series(0).y(), ElementsAre(DoubleNear(100 / 45., 1e-12), DoubleNear(3000 / 45., 1e-12),
                                                  DoubleNear(1300 / 45., 1e-12), DoubleNear(100 / 45., 1e-12), 0));
  EXPECT_THAT(Marks(plots[0]), ElementsAre(0.5, -0.5, 0.4, -0.4));  // 0.5 = 127 / 254; 0.4 is in the record
  EXPECT_NE(plots[0].group(), plots[3].group());
}

// Both histograms are scaled as if their bins had equal widths.
TEST(HistogramPlotsTest, ValuesThatReluCutsOffAreShownWithThoseRead) {
  const proto::Plot plot = PlotsOf(SmallLab())[1];
  ASSERT_THAT(plot.series(), SizeIs(2));
  EXPECT_EQ(plot.series(0).label(), "after ReLU");
  EXPECT_THAT(plot.series(0).y(), ElementsAre(75, 12.5, 7.5, 5, 0));
  EXPECT_THAT(plot.series(1).y(), ElementsAre(6.25, 18.75, 18.75, 6.25, 0));
  EXPECT_THAT(Marks(plot), ElementsAre(3.5, 2.5));  // max|a| of a record without a scale; no value below 0 is clipped
}

TEST(HistogramPlotsTest, AZeroPointMovesBothEnds) {
  LabRecords lab = SmallLab();
  proto::QuantizedLayer& layer = *lab.quantized[0].networks[0].mutable_layer(0);
  layer.clear_activation_after_relu();
  layer.set_tensor_scale(10);
  layer.set_zero_point(-8);
  EXPECT_THAT(Marks(PlotsOf(lab)[1]), ElementsAre(13.5, -12, 2.5, -2.5));
  layer.set_writes_sums(true);
  const proto::Plot sums = PlotsOf(lab)[1];
  EXPECT_THAT(Marks(sums), ElementsAre(2.5, -2.5));
  EXPECT_THAT(sums.description(), HasSubstr("nothing is clipped"));
}

TEST(HistogramPlotsTest, NoHistogramIsNoPlotAndTooManyAreNamed) {
  LabRecords lab = SmallLab();
  lab.quantized[0].networks[0].clear_layer();
  EXPECT_THAT(PlotsOf(lab), SizeIs(2));
  const proto::QuantizedNetwork network = lab.quantized[0].networks[1];
  lab.quantized[0].networks.assign(kMaxHistograms / 2 + 1, network);
  std::vector<std::string> left_out;
  EXPECT_THAT(HistogramPlots(lab, left_out), SizeIs(kMaxHistograms));
  EXPECT_THAT(left_out, ElementsAre("lenet5_bias (12345678) (quantized.rec)"));
}

}  // namespace
}  // namespace lockstep
