#include "lib/plot/svg_plot.h"

#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/plot/svg_faults_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::MeasureSvg;
using ::lockstep::testing::SvgFaults;
using ::lockstep::testing::SvgMeasures;
using ::lockstep::testing::XmlFault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

proto::Plot Shares() {
  return PlotOf(R"pb(
    kind: SHARE_BARS
    x_label: "devices x batch"
    y_label: "s"
    tick: [ "4 x 32", "4 x 512" ]
    series {
      label: "computing"
      x: [ 0, 1 ]
      y: [ 0.96, 0.5 ]
    }
    series {
      label: "exposed"
      x: [ 0, 1 ]
      y: [ 0.04, 0.5 ]
    })pb");
}

proto::Plot Remedies() {
  return PlotOf(R"pb(
    kind: RANKED_DOTS
    y_label: "test accuracy, %"
    tick: [ "8,192", "8,192, clipping and ghost batch norm", "128" ]
    mark { x: 69.1 label: "batch 128" }
    series {
      label: "mean"
      x: [ 0, 1, 2 ]
      y: [ 21.2, 52.2, 69.1 ]
      y_low: [ 18, 51, 67 ]
      y_high: [ 24, 53, 71 ]
    })pb");
}

// Returns learning curves of `panels` batches; with `lines` series each.
proto::Plot Curves(int panels, int lines) {
  proto::Plot plot = PlotOf("kind: LINES x_label: 'epoch' y_label: 'cross-entropy'");
  for (int i = 0; i < panels * lines; ++i) {
    proto::Series& series = *plot.add_series();
    series.set_panel(absl::StrCat("batch ", i % panels));
    series.set_label(lines == 1 ? "" : absl::StrCat(i / panels + 1, " GPUs"));
    for (const double epoch : {1, 2, 3}) {
      series.add_x(epoch);
      series.add_y((2 + i) / epoch);
    }
  }
  return plot;
}

TEST(SvgPlotTest, SharesAreInTheirPartAndThoseOfThinPartsOnTheRight) {
  const std::string svg = DrawSvg(Shares());
  EXPECT_THAT(SvgFaults(svg, Shares()), IsEmpty());
  EXPECT_THAT(svg, HasSubstr("class=\"on1\" text-anchor=\"middle\">96\u00a0%</text>"));
  EXPECT_THAT(svg, HasSubstr("class=\"value\">4.0\u00a0%</text>"));
  EXPECT_THAT(MeasureSvg(svg).titles, Contains("exposed\n4 x 32\ns: 0.04\n4.0\u00a0%"));
}

TEST(SvgPlotTest, RemediesAreSortedAndTheBaseLineIsNamed) {
  const std::string svg = DrawSvg(Remedies());
  EXPECT_THAT(SvgFaults(svg, Remedies()), IsEmpty());
  EXPECT_THAT(MeasureSvg(svg).titles,
              ElementsAre("mean\n128\ntest accuracy, %: 69.1 (67 to 71)",
                          "mean\n8,192, clipping and ghost batch norm\ntest accuracy, %: 52.2 (51 to 53)",
                          "mean\n8,192\ntest accuracy, %: 21.2 (18 to 24)"));
  EXPECT_THAT(svg, HasSubstr(">batch 128</text>"));
  EXPECT_THAT(svg, HasSubstr("class=\"value\" text-anchor=\"end\">52.2</text>"));
}

TEST(SvgPlotTest, SmallPlotsShareTheAxis) {
  for (const auto& [panels, lines] : {std::pair(6, 1), std::pair(10, 1), std::pair(3, 3), std::pair(1, 5)}) {
    const proto::Plot plot = Curves(panels, lines);
    const std::string svg = DrawSvg(plot);
    EXPECT_THAT(SvgFaults(svg, plot), IsEmpty()) << panels << " " << lines;
    EXPECT_THAT(svg, HasSubstr(">batch 0</text>"));
    EXPECT_THAT(svg, lines == 1 ? HasSubstr("\"ghost\"") : HasSubstr(">2 GPUs</text>"));
  }
}

TEST(SvgPlotTest, EqualPlotsAreEqualBytes) {
  EXPECT_EQ(DrawSvg(Shares()), DrawSvg(Shares()));
  EXPECT_EQ(DrawSvg(Curves(6, 1)), DrawSvg(Curves(6, 1)));
}

TEST(SvgPlotTest, ForgedLabelsAreText) {
  const std::string forged =
      absl::StrCat("\x1B[2J\u009B\u202E\uFFFE]]><![CDATA[<script>\x07\"'&\n", absl::string_view("\0", 1));
  for (proto::Plot plot : {Shares(), Remedies(), Curves(2, 2)}) {
    plot.set_title(forged);
    plot.set_description(forged);
    plot.set_x_label(forged);
    plot.set_y_label(forged);
    plot.mutable_series(0)->set_label(forged);
    plot.mutable_series(0)->set_panel(plot.kind() == proto::LINES ? forged : "");
    for (std::string& tick : *plot.mutable_tick()) {
      tick = forged;
    }
    const std::string svg = DrawSvg(plot);
    EXPECT_EQ(XmlFault(svg), "");
    EXPECT_THAT(svg, HasSubstr("\\x1b[2J\\u009b\\u202e\\ufffe]]&gt;&lt;![CDATA[&lt;script&gt;\\x07"));
    EXPECT_EQ(svg.find_first_of(std::string("\x1B\x07\0", 3)), std::string::npos);
  }
}

TEST(SvgPlotTest, ValuesThatCannotBeDrawnAreNoCrash) {
  proto::Plot plot = Shares();
  plot.mutable_series(0)->set_y(0, 0);
  plot.mutable_series(1)->set_y(0, 0);  // a bar without parts
  plot.mutable_series(1)->set_x(1, 7);  // a name that does not exist
  EXPECT_EQ(XmlFault(DrawSvg(plot)), "");
  for (const proto::PlotKind kind : {proto::LINES, proto::POINTS, proto::STACKED_BARS, proto::DOTS, proto::HISTOGRAM,
                                     proto::SHARE_BARS, proto::RANKED_DOTS}) {
    proto::Plot infinite = Remedies();
    infinite.set_kind(kind);
    infinite.set_y_log(kind == proto::POINTS);
    infinite.mutable_series(0)->set_y(0, std::numeric_limits<double>::infinity());
    infinite.mutable_series(0)->set_y(1, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(XmlFault(DrawSvg(infinite)), "") << kind;
    infinite.clear_series();
    infinite.clear_tick();
    EXPECT_EQ(XmlFault(DrawSvg(infinite)), "") << kind;
  }
}

// 10 series of 100 points took 3 ms on one core.
TEST(SvgPlotTest, AThousandPointsAreDrawnInTime) {
  proto::Plot plot = PlotOf("kind: LINES");
  for (int i = 0; i < 10; ++i) {
    proto::Series& series = *plot.add_series();
    series.set_label(absl::StrCat("series ", i));
    for (int x = 0; x < 100; ++x) {
      series.add_x(x);
      series.add_y(i + x % 7);
      series.add_y_low(i);
      series.add_y_high(i + 7);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string svg = DrawSvg(plot);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_THAT(MeasureSvg(svg).titles, SizeIs(1000));
}

TEST(SvgPlotTest, ASeparateFileHasStyleAndBackground) {
  const std::string file = StandaloneSvg(DrawSvg(Shares()));
  EXPECT_THAT(file, StartsWith("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns="));
  EXPECT_THAT(file, HasSubstr("</desc>\n<style>"));
  EXPECT_THAT(file, HasSubstr("@media (prefers-color-scheme: dark)"));
  EXPECT_THAT(file, HasSubstr("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>"));
  EXPECT_EQ(XmlFault(file.substr(file.find("<svg"))), "");
  EXPECT_THAT(DrawSvg(Shares()), Not(HasSubstr("<style>")));  // the page has it once
}

}  // namespace
}  // namespace lockstep
