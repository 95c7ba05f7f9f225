#include "lib/report/findings.h"

#include <cmath>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::Series SeriesOf(const std::string& label, const std::vector<double>& x, const std::vector<double>& y,
                       proto::Provenance provenance = proto::MEASURED) {
  proto::Series series;
  series.set_label(label);
  series.set_provenance(provenance);
  series.mutable_x()->Add(x.begin(), x.end());
  series.mutable_y()->Add(y.begin(), y.end());
  return series;
}

proto::Plot PlotOf(const std::string& id, const std::vector<proto::Series>& series) {
  proto::Plot plot;
  plot.set_id(id);
  plot.mutable_series()->Add(series.begin(), series.end());
  return plot;
}

TEST(FindingsTest, TheExtremeAndItsPlace) {
  const proto::Series one = SeriesOf("bf16", {32, 1024, 2048}, {60000, 125400, 125100});
  EXPECT_EQ(FindingOf(PlotOf("batch_sweep_rate", {one})), "Highest rate: 125k images/s at batch 1024.");
  EXPECT_EQ(FindingOf(PlotOf("batch_sweep_rate_2", {one, SeriesOf("fp32", {32}, {9000})})),
            "Highest rate: 125k images/s at batch 1024, bf16.");
  EXPECT_EQ(FindingOf(PlotOf("epoch_time", {SeriesOf("with data loading", {32, 128}, {0.8, 0.4})})),
            "Shortest epoch: 0.400 s at batch 128.");
}

TEST(FindingsTest, ReferencesAndModelsAreNoResults) {
  proto::Series ideal = SeriesOf("ideal", {2, 4}, {100, 50}, proto::DERIVED);
  ideal.set_reference(true);
  EXPECT_EQ(FindingOf(PlotOf("speedup_2", {SeriesOf("batch 32", {2, 4}, {98, 96.4}, proto::DERIVED), ideal})),
            "Lowest efficiency of an epoch: 96.4 % on 4 devices.");
  EXPECT_EQ(FindingOf(PlotOf("batch_sweep_memory", {SeriesOf("bf16, measured", {32, 64}, {1.5, 2}),
                                                    SeriesOf("bf16, predicted", {32, 64}, {1.6, 9}, proto::MODELLED)})),
            "Largest peak: 2.00 GB at batch 64.");
}

TEST(FindingsTest, CurvesCountAtTheirEnd) {
  EXPECT_EQ(
      FindingOf(PlotOf("loss_3", {SeriesOf("batch 32", {1, 2}, {2, 0.45}), SeriesOf("batch 128", {1, 2}, {0.1, 0.6})})),
      "Lowest at the end: 0.450, batch 32.");
}

TEST(FindingsTest, DotsAndBarsHaveTheNameOfTheirPlace) {
  proto::Plot plot = PlotOf("predicted", {SeriesOf("predicted", {0, 1}, {2, -3.1}, proto::MODELLED)});
  plot.add_tick("2 x 32");
  plot.add_tick("4 x 32");
  EXPECT_EQ(FindingOf(plot), "Largest difference: \u22123.10 %, 4 x 32.");
}

TEST(FindingsTest, BarsOfSharesHaveTheLargestShareOfTheirLastPart) {
  proto::Plot plot = PlotOf("split_2", {SeriesOf("computing", {0, 1}, {9, 7}), SeriesOf("exposed", {0, 1}, {1, 3})});
  plot.set_kind(proto::SHARE_BARS);
  plot.add_tick("2 x 32");
  plot.add_tick("4 x 32");
  EXPECT_EQ(FindingOf(plot), "Exposed all-reduces: at most 30 %, 4 x 32.");
}

TEST(FindingsTest, SmallPlotsHaveTheirHeading) {
  proto::Series series = SeriesOf("N = 1", {1}, {2});
  series.set_panel("batch 128");
  EXPECT_EQ(FindingOf(PlotOf("loss", {series, series})), "Lowest at the end: 2.00, batch 128, N = 1.");
}

TEST(FindingsTest, NoneWithoutARuleOrAValue) {
  EXPECT_EQ(FindingOf(PlotOf("histogram", {SeriesOf("weights", {0}, {1})})), "");
  EXPECT_EQ(FindingOf(PlotOf("losses", {SeriesOf("weights", {0}, {1})})), "");
  EXPECT_EQ(FindingOf(PlotOf("loss", {})), "");
  EXPECT_EQ(FindingOf(PlotOf("loss", {SeriesOf("batch 32", {1}, {std::nan("")})})), "");
}

TEST(FindingsTest, OnlyFiguresWithoutACardHaveOne) {
  proto::Summary summary;
  summary.add_card()->add_link()->set_target("plot-loss");
  std::vector<proto::Section> page(1);
  *page[0].add_plot() = PlotOf("loss", {SeriesOf("batch 32", {1}, {2})});
  *page[0].add_plot() = PlotOf("loss_2", {SeriesOf("batch 32", {1}, {2})});
  AddFindings(summary, page);
  EXPECT_EQ(page[0].plot(0).finding(), "");
  EXPECT_EQ(page[0].plot(1).finding(), "Lowest at the end: 2.00.");
}

}  // namespace
}  // namespace lockstep
