#include "lib/plot/gnuplot_script.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

proto::Plot Lines() {
  return PlotOf(R"pb(
    kind: LINES
    id: "time"
    title: "T < U"
    description: "points"
    x_label: "batch"
    y_label: "it's"
    x_log: true
    series {
      label: "a'b"
      x: [ 32, 128 ]
      y: [ 4, 2 ]
      y_low: [ 3.5, 2 ]
      y_high: [ 4.5, 2 ]
    }
    series {
      label: "ideal"
      reference: true
      x: [ 32, 128 ]
      y: [ 1, 2 ]
    })pb");
}

proto::Plot Bars(const std::string& kind) {
  const std::string series = "series { label: 'a' x: [0] y: [1.5] } series { label: 'b' x: [0] y: [0.5] }";
  return PlotOf("id: 'split' tick: ['2 x 32'] " + series + " kind: " + kind);
}

TEST(GnuplotScriptTest, PointsAreNotJoined) {
  proto::Plot plot = Lines();
  plot.set_kind(proto::POINTS);
  const std::string script = GnuplotScript(plot, "-");
  EXPECT_THAT(script, HasSubstr("$s0 using 1:2 with points lw 2"));
  EXPECT_THAT(script, HasSubstr("$s1 using 1:2 with lines lw 1.5 dt 2"));
}

TEST(GnuplotScriptTest, TextIsQuotedAndTakenAsItIs) {
  const std::string script = GnuplotScript(Lines(), "/out.pdf");
  EXPECT_THAT(script, AllOf(HasSubstr("set label 'it''s'"), HasSubstr("title 'a''b'"), HasSubstr("noenhanced")));
}

TEST(GnuplotScriptTest, ALineEndInALabelStartsNoCommand) {
  proto::Plot plot = Lines();
  plot.set_x_label("a'\nsystem('id')");
  EXPECT_THAT(GnuplotScript(plot, "/out.pdf"), HasSubstr("set label 'a'' system(''id'')'"));
}

TEST(GnuplotScriptTest, PointsHaveErrorBarsWhereThereIsSpread) {
  const std::string script = GnuplotScript(Lines(), "/out.pdf");
  EXPECT_THAT(script, AllOf(HasSubstr("$s0 << EOD\n32 4\n128 2\nEOD\n$e0 << EOD\n32 3.5 4.5\nEOD\n"),
                            HasSubstr("$e0 using 1:2:(0):($3-$2) with vectors"), HasSubstr("set logscale x"),
                            Not(HasSubstr("$e1"))));
}

TEST(GnuplotScriptTest, TicksAreThoseOfTheLayout) {
  EXPECT_THAT(GnuplotScript(Lines(), "/out.pdf"), HasSubstr("tics offset screen 0, screen "));
  EXPECT_THAT(GnuplotScript(Lines(), "/out.pdf"), HasSubstr("set yrange [0:5]\nset ytics ('0' 0, '1' 1, '2' 2, "));
}

TEST(GnuplotScriptTest, MarksAreLinesWithLettersThatTheLegendExplains) {
  proto::Plot plot = Lines();
  plot.add_mark()->set_x(40);
  plot.mutable_mark(0)->set_label("it's full");
  plot.mutable_series(0)->set_provenance(proto::MODELLED);
  const std::string script = GnuplotScript(plot, "/out.pdf");
  EXPECT_THAT(script, HasSubstr("set arrow from first 40, graph 0 to first 40, graph 1 nohead"));
  EXPECT_THAT(script, HasSubstr("set label 'a' at screen "));
  EXPECT_THAT(script, HasSubstr("set label 'it''s full' at screen "));
  EXPECT_THAT(script, HasSubstr("with linespoints lw 2.7 dt 2"));  // a modelled series is dashed
}

TEST(GnuplotScriptTest, StackedBarsStandOnEachOther) {
  const std::string script = GnuplotScript(Bars("STACKED_BARS"), "/out.pdf");
  EXPECT_THAT(script, AllOf(HasSubstr("-0.35 0.35 0 1.5\n"), HasSubstr("-0.35 0.35 1.5 2\n")));
  EXPECT_THAT(script, AllOf(HasSubstr("fs pattern 3 border"), HasSubstr("fs pattern 1 border")));
}

TEST(GnuplotScriptTest, GroupedBarsStandSideBySide) {
  const std::string script = GnuplotScript(Bars("GROUPED_BARS"), "/out.pdf");
  EXPECT_THAT(script, AllOf(HasSubstr("-0.35 0 0 1.5\n"), HasSubstr("0 0.35 0 0.5\n")));
}

TEST(GnuplotScriptTest, DotsStandSideBySideAboveTheirName) {
  const std::string script = GnuplotScript(Bars("DOTS"), "/out.pdf");
  EXPECT_THAT(script, AllOf(HasSubstr("$s0 << EOD\n-0.175 1.5\n"), HasSubstr("$s1 << EOD\n0.175 0.5\n")));
}

TEST(GnuplotScriptTest, AHistogramIsStepsFromTheAxisOn) {
  const std::string script = GnuplotScript(
      PlotOf("id: 'w' kind: HISTOGRAM y_log: true series { label: 'a' x: [0, 1, 2] y: [100, 0, 0] }"), "/out.pdf");
  const size_t at = script.find("$s0 << EOD\n");
  ASSERT_NE(at, std::string::npos);
  EXPECT_THAT(script.substr(at), HasSubstr("0 100\n1 100\n1 "));  // an empty bin is on the axis
  EXPECT_THAT(script, HasSubstr("with filledcurves y1="));
}

TEST(GnuplotScriptTest, SharesBecomeStackedBarsOfPerCent) {
  const proto::Plot plot = SimplerForm(Bars("SHARE_BARS"));
  EXPECT_EQ(plot.kind(), proto::STACKED_BARS);
  EXPECT_EQ(plot.y_label(), "%");
  EXPECT_EQ(plot.series(0).y(0), 75);
  EXPECT_EQ(plot.series(1).y(0), 25);
}

TEST(GnuplotScriptTest, RankedDotsBecomeDotsInTheOrderOfTheirValues) {
  const proto::Plot plot = SimplerForm(
      PlotOf("kind: RANKED_DOTS tick: ['a', 'b'] mark { x: 2 label: 'base' } series { x: [0, 1] y: [1, 2] }"));
  EXPECT_EQ(plot.kind(), proto::DOTS);
  EXPECT_EQ(plot.tick(0), "b");
  EXPECT_EQ(plot.series(0).x(0), 1);  // a, with value 1, is second
  EXPECT_EQ(plot.mark_size(), 0);
}

TEST(GnuplotScriptTest, SmallPlotsBecomeOne) {
  const proto::Plot plot =
      SimplerForm(PlotOf("kind: LINES series { panel: 'batch 32' label: '2 GPUs' } series { panel: 'b' }"));
  EXPECT_EQ(plot.series(0).label(), "batch 32, 2 GPUs");
  EXPECT_EQ(plot.series(1).label(), "b");
}

TEST(GnuplotScriptTest, LabelsAtTheEndsOfLinesReplaceTheLegend) {
  const std::string script = GnuplotScript(Lines(), "/out.pdf");
  EXPECT_THAT(script, HasSubstr("set label 'a''b' at screen "));
  EXPECT_THAT(script, HasSubstr("nohead lw 0.5 lc rgb '#808080'"));
}

TEST(GnuplotScriptTest, APlotWithoutSeriesIsDrawn) {
  EXPECT_THAT(GnuplotScript(PlotOf("id: 'none' kind: LINES"), "/out.pdf"), HasSubstr("plot 1/0 notitle"));
}

}  // namespace
}  // namespace lockstep
