#include "lib/plot/svg_faults_testing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/plot/svg_plot.h"

namespace lockstep::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      absl::StrCat("id: 'p' x_label: 'images per batch' y_label: 'seconds & more' ", text), &plot));
  return plot;
}

proto::Plot Lines() {
  return PlotOf(R"pb(
    kind: LINES
    x_log: true
    series {
      label: "measured"
      x: [ 32, 128, 512 ]
      y: [ 4, 2, 1 ]
      y_low: [ 3.5, 2, 1 ]
      y_high: [ 4.5, 2, 1 ]
    }
    series {
      label: "ideal"
      reference: true
      x: [ 32, 512 ]
      y: [ 1, 2 ]
    }
    mark { x: 500 label: "the largest that fits" })pb");
}

TEST(SvgFaultsTest, MeasuresAxesTicksAndTexts) {
  const std::string svg = DrawSvg(Lines());
  const SvgMeasures measures = MeasureSvg(svg);
  EXPECT_THAT(measures.x_ticks, SizeIs(3));
  EXPECT_EQ(measures.x_ticks[2].text, "512");
  EXPECT_THAT(measures.y_ticks, SizeIs(6));
  EXPECT_THAT(measures.others, SizeIs(7));  // two axis labels, two series, a mark's letter above and below, its text
  EXPECT_EQ(measures.others[0].text, "seconds & more");
  EXPECT_EQ(measures.others[1].text, "images per batch");
  EXPECT_EQ(measures.titles[0], "measured\nimages per batch: 32\nseconds & more: 4 (3.5 to 4.5)");
  EXPECT_EQ(measures.drawing.right, 460);
  EXPECT_GT(measures.area.right - measures.area.left, 280);
  EXPECT_THAT(SvgFaults(svg, Lines()), IsEmpty());
}

// --- Each check finds its fault ---

// Returns the SVG with one text replaced by another, which may be empty.
std::string Replaced(const std::string& svg, const std::string& text, const std::string& by) {
  return absl::StrReplaceAll(svg, {{absl::StrCat(">", text, "</text>"), absl::StrCat(">", by, "</text>")}});
}

// Returns the SVG without the element of this text.
std::string Without(const std::string& svg, const std::string& text) {
  const size_t at = svg.find(absl::StrCat(">", text, "</text>"));
  const size_t begin = svg.rfind("<text", at), end = svg.find('\n', at);
  return svg.substr(0, begin) + svg.substr(end + 1);
}

TEST(SvgFaultsTest, AnAxisWithTwoLabelsIsFound) {
  const std::string svg = DrawSvg(Lines());
  EXPECT_THAT(SvgFaults(Without(svg, "128"), Lines()), ElementsAre("2 labels on the x axis, expected 3 or more"));
  EXPECT_THAT(SvgFaults(Without(Without(Without(Without(svg, "1"), "2"), "3"), "4"), Lines()),
              ElementsAre("2 labels on the y axis, expected 3 or more"));
}

TEST(SvgFaultsTest, LabelsThatOverlapAreFound) {
  const std::string svg = DrawSvg(Lines());
  EXPECT_THAT(SvgFaults(Replaced(svg, "128", "128 images in each of the batches, and then many more"), Lines()),
              Contains(HasSubstr("overlap")));
}

// Returns the SVG with this text moved to another position.
std::string Moved(const std::string& svg, const std::string& text, const std::string& place) {
  const size_t at = svg.find(absl::StrCat(">", text, "</text>"));
  const size_t begin = svg.rfind("<text ", at), end = svg.find("\" ", svg.find("y=", begin) + 3);
  return absl::StrCat(svg.substr(0, begin), "<text ", place, svg.substr(end + 1));
}

TEST(SvgFaultsTest, ALabelOverThePointsIsFound) {
  EXPECT_THAT(SvgFaults(Moved(DrawSvg(Lines()), "images per batch", "x=\"200\" y=\"100\""), Lines()),
              Contains("\"images per batch\" lies over the points"));
}

TEST(SvgFaultsTest, ALabelThatIsNotDrawnIsFound) {
  EXPECT_THAT(SvgFaults(Without(DrawSvg(Lines()), "ideal"), Lines()), ElementsAre("\"ideal\" is missing"));
}

TEST(SvgFaultsTest, TextThatIsCutOffIsFound) {
  EXPECT_THAT(SvgFaults(Moved(DrawSvg(Lines()), "images per batch", "x=\"440\" y=\"260\""), Lines()),
              Contains("\"images per batch\" leaves the drawing"));
}

TEST(SvgFaultsTest, APointWithoutItsValuesIsFound) {
  std::string svg = DrawSvg(Lines());
  svg = absl::StrReplaceAll(svg, {{"<g><title>", "<g><desc>"}, {"</title>\n<circle", "</desc>\n<circle"}});
  EXPECT_THAT(SvgFaults(svg, Lines()), ElementsAre("0 texts on hover, expected 3"));
}

TEST(SvgFaultsTest, AnIdIsFound) {
  EXPECT_THAT(SvgFaults(absl::StrReplaceAll(DrawSvg(Lines()), {{"<desc>", "<desc id=\"p\">"}}), Lines()),
              ElementsAre("the drawing has an id"));
}

TEST(SvgFaultsTest, BrokenXmlIsFound) {
  EXPECT_EQ(XmlFault("<svg><g a=\"1\"></g><path/></svg>"), "");
  EXPECT_EQ(XmlFault("<svg><g></svg>"), "not open: </svg>");
  EXPECT_EQ(XmlFault("<svg>"), "not closed: svg");
  EXPECT_EQ(XmlFault("<svg>a & b</svg>"), "not escaped: & b</svg>");
  EXPECT_EQ(XmlFault("<svg>1 < 2</svg>"), "no tag: < 2</svg>");
}

TEST(SvgFaultsTest, ADrawingWithoutAxesIsFound) {
  EXPECT_THAT(SvgFaults("<svg viewBox=\"0 0 9 9\"></svg>", PlotOf("kind: LINES")), Contains("no axes were found"));
}

// --- Plots of all kinds have no fault ---

TEST(SvgFaultsTest, EveryKindIsDrawnWithoutAFault) {
  const std::string bars =
      "tick: ['2 x 32', '2 x 128'] series { label: 'computing' x: [0, 1] y: [1, 2] y_low: [0.9, 2] y_high: [1.2, 2] } "
      "series { label: 'communicating, as events show it' x: [0, 1] y: [0.2, 0.5] } kind: ";
  std::vector<proto::Plot> plots = {Lines(), PlotOf(bars + "STACKED_BARS"), PlotOf(bars + "GROUPED_BARS"),
                                    PlotOf(bars + "DOTS")};
  plots.push_back(Lines());
  plots.back().set_kind(proto::POINTS);
  plots.back().set_y_log(true);
  plots.push_back(
      PlotOf("kind: HISTOGRAM y_log: true series { label: 'weights' x: [-1, 0, 1, 2] y: [5, 90000, 1, 0] } "
             "mark { x: -0.9 label: 'clip' } mark { x: 1.5 label: 'clip' }"));
  plots.push_back(
      PlotOf("kind: HISTOGRAM y_log: true series { label: 'after' x: [0, 1, 2] y: [70, 30, 0] } "
             "series { label: 'before' x: [-2, -1, 0, 1, 2] y: [20, 30, 30, 20, 0] }"));
  plots.push_back(
      PlotOf("kind: POINTS series { label: 'measured' x: [1, 2] y: [3, 4] } "
             "series { label: 'fit' provenance: MODELLED joined: true x: [1, 2] y: [3, 3.5] }"));
  plots.push_back(PlotOf("kind: LINES series { label: 'one point' x: 1 y: 0 }"));
  plots.push_back(PlotOf("kind: LINES"));
  for (const proto::Plot& plot : plots) {
    const std::string svg = DrawSvg(plot);
    EXPECT_THAT(SvgFaults(svg, plot), IsEmpty()) << plot.DebugString();
  }
}

// Twelve series with long names, marks close to each other, names that must be rotated.
TEST(SvgFaultsTest, ManyAndLongNamesHaveRoom) {
  proto::Plot lines = Lines(), bars = PlotOf("kind: STACKED_BARS");
  for (int i = 0; i < 12; ++i) {
    proto::Series& series = *lines.add_series();
    series = lines.series(0);
    series.set_label(absl::StrCat("bf16, fused step, CUDA graph (a_record_with_a_long_name_", i, ".rec), predicted"));
    lines.add_mark()->set_x(300 + 20 * i);
    lines.mutable_mark(i + 1)->set_label(
        absl::StrCat(series.label(), ": ", i, " is the largest that fits into memory"));
    bars.add_tick(absl::StrCat(i, " x 32,768"));
    proto::Series& part = i == 0 ? *bars.add_series() : *bars.mutable_series(0);
    part.add_x(i);
    part.add_y(1);
  }
  for (const proto::Plot& plot : {lines, bars}) {
    const std::string svg = DrawSvg(plot);
    EXPECT_THAT(SvgFaults(svg, plot), IsEmpty());
  }
}

}  // namespace
}  // namespace lockstep::testing
