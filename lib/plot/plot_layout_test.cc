#include "lib/plot/plot_layout.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/plot/plot_style.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

std::vector<std::string> Labels(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks) {
    labels.push_back(tick.label);
  }
  return labels;
}

TEST(PlotLayoutTest, BatchesAreTheTicksOfALogarithmsAxis) {
  const PlotLayout layout =
      LayOutPlot(PlotOf("kind: LINES x_log: true series { label: 'a' x: [32, 128, 512] y: [4, 2, 1] }"));
  EXPECT_THAT(Labels(layout.x), ElementsAre("32", "128", "512"));
  EXPECT_THAT(Labels(layout.y), ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_LT(layout.x.low, 32);
  EXPECT_GT(layout.x.high, 512);
}

TEST(PlotLayoutTest, DevicesAreTheMeasuredOnesAndTheAxisOfDotsNeedNotBeginAt0) {
  EXPECT_THAT(Labels(LayOutPlot(PlotOf("kind: LINES series { x: [1, 2] y: [1, 1.9] }")).x), ElementsAre("1", "2"));
  const PlotLayout dots =
      LayOutPlot(PlotOf("kind: DOTS tick: ['128'] series { x: [0] y: [52] y_low: [51] y_high: [53] }"));
  EXPECT_THAT(Labels(dots.x), ElementsAre("128"));
  EXPECT_THAT(Labels(dots.y), ElementsAre("51", "51.5", "52", "52.5", "53"));
}

TEST(PlotLayoutTest, TheHeightOfStackedBarsIsThatOfTheirSum) {
  const std::string series = "tick: ['a'] series { x: [0] y: [3] } series { x: [0] y: [4] } kind: ";
  EXPECT_EQ(LayOutPlot(PlotOf(series + "STACKED_BARS")).y.high, 8);
  EXPECT_EQ(LayOutPlot(PlotOf(series + "GROUPED_BARS")).y.high, 4);
}

TEST(PlotLayoutTest, ErrorBarsAndMarksAreInSight) {
  const PlotLayout layout = LayOutPlot(
      PlotOf("kind: LINES x_log: true series { x: [32, 64] y: [4, 2] y_low: [3, 1] y_high: [11, 3] } mark { x: 700 }"));
  EXPECT_GE(layout.y.high, 11);
  EXPECT_GT(layout.x.high, 700);
}

TEST(PlotLayoutTest, TheLegendStandsBelowInColumnsAndThenTheMarks) {
  const PlotLayout layout =
      LayOutPlot(PlotOf("kind: POINTS series { label: 'one' x: 1 y: 1 } series { label: 'two' x: 1 y: 2 } "
                        "series { label: '' x: 1 y: 1 } mark { x: 1 label: 'end' } mark { x: 2 label: 'end' }"));
  ASSERT_THAT(layout.legend, SizeIs(3));
  EXPECT_EQ(layout.legend[0].y, layout.legend[1].y);
  EXPECT_LT(layout.legend[0].x + TextWidth("one", kPlotFont), layout.legend[1].x);
  EXPECT_LT(layout.legend[0].y, layout.bottom);
  EXPECT_EQ(layout.legend[2].letter, "a");  // both marks share an entry
  EXPECT_LT(layout.legend[2].y, layout.legend[0].y);
  ASSERT_THAT(layout.letters, SizeIs(2));
  EXPECT_GT(layout.letters_y, layout.top);
}

TEST(PlotLayoutTest, UpToFourLinesAreLabelledAtTheirEnds) {
  proto::Plot plot = PlotOf(
      "kind: LINES series { label: 'one' x: [2, 1] y: [3.9, 1] } "
      "series { label: 'two' x: [1, 2] y: [1, 4] }");
  const PlotLayout layout = LayOutPlot(plot);
  EXPECT_THAT(layout.legend, SizeIs(0));
  ASSERT_THAT(layout.end_labels, SizeIs(2));
  EXPECT_GE(layout.end_labels[1].y - layout.end_labels[0].y, kLabelSpacing);
  EXPECT_EQ(layout.end_labels[0].end_x, PlaceX(layout, 2));  // the largest x, not the last
  EXPECT_GT(layout.end_labels[0].x, layout.right);
  EXPECT_LE(layout.end_labels[0].x + TextWidth("one", kPlotFont), layout.width);
  for (const char* label : {"three", "four", "five"}) {
    *plot.add_series() = plot.series(0);
    plot.mutable_series(plot.series_size() - 1)->set_label(label);
  }
  EXPECT_THAT(LayOutPlot(plot).end_labels, SizeIs(0));
  EXPECT_THAT(LayOutPlot(plot).legend, SizeIs(5));
}

TEST(PlotLayoutTest, SeriesAreShiftedIfTheirIntervalsOverlap) {
  proto::Plot plot = PlotOf(
      "kind: LINES series { x: [1, 2] y: [5, 6] y_low: [4, 5] y_high: [6, 7] } "
      "series { x: [1, 2] y: [5, 9] y_low: [5, 9] y_high: [5, 9] } "
      "series { reference: true x: [1, 2] y: [1, 1] }");
  EXPECT_THAT(LayOutPlot(plot).shift, ElementsAre(-kSeriesShift / 2, kSeriesShift / 2, 0));
  for (int i = 0; i < 2; ++i) {
    plot.mutable_series(1)->set_y_low(i, 8);
    plot.mutable_series(1)->set_y(i, 9);
    plot.mutable_series(1)->set_y_high(i, 10);
  }
  EXPECT_THAT(LayOutPlot(plot).shift, ElementsAre(0, 0, 0));
}

TEST(PlotLayoutTest, ALongEntryIsWrappedAndTheDrawingGrows) {
  const proto::Plot plot = PlotOf("kind: LINES series { label: 'short' x: 1 y: 1 }");
  proto::Plot longer = plot;
  longer.mutable_series(0)->set_label(
      absl::StrCat("a name of many words ", std::string(20, 'w'), " and of more words"));
  const PlotLayout layout = LayOutPlot(longer);
  ASSERT_THAT(layout.legend, SizeIs(2));
  EXPECT_EQ(layout.legend[1].series, -1);
  EXPECT_GT(layout.height, LayOutPlot(plot).height);
}

TEST(PlotLayoutTest, NamesWithoutRoomAreTurned) {
  proto::Plot plot = PlotOf("kind: STACKED_BARS tick: ['2 x 32', '2 x 128']");
  EXPECT_FALSE(LayOutPlot(plot).turned_labels);
  for (int i = 0; i < 9; ++i) {
    plot.add_tick("4 x 32,768");
  }
  EXPECT_TRUE(LayOutPlot(plot).turned_labels);
}

// --- Style ---

double Linear(int level) {
  const double share = level / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

// Returns the relative luminance of "#2274d5" (WCAG 2.1).
double Luminance(absl::string_view color) {
  const auto level = [&](size_t at) { return std::stoi(std::string(color.substr(at, 2)), nullptr, 16); };
  return 0.2126 * Linear(level(1)) + 0.7152 * Linear(level(3)) + 0.0722 * Linear(level(5));
}

double Contrast(double a, double b) { return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05); }

// WCAG 2.1 requires a contrast of 3 for graphics (1.4.11). The backgrounds are those of html_style.h.
TEST(PlotStyleTest, ColoursShowOnAllGrounds) {
  for (const absl::string_view color : kSeriesColors) {
    for (const absl::string_view ground : {"#ffffff", "#f5f7f9", "#14181c", "#1d2329"}) {
      EXPECT_GE(Contrast(Luminance(color), Luminance(ground)), 3) << color << " on " << ground;
    }
  }
}

TEST(PlotStyleTest, NeighboursDifferWithoutColour) {
  for (int i = 0; i < 6; ++i) {
    EXPECT_NE(PatternOf(i), PatternOf(i + 1));
  }
  std::set<int> points;
  for (int i = 0; i < 10; ++i) {  // maximum number of curves in a plot of epochs
    EXPECT_TRUE(points.insert(PointOf(i)).second) << i;
  }
}

}  // namespace
}  // namespace lockstep
