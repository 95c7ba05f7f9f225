#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_series.h"

namespace lockstep {
namespace {

constexpr double kMiddle = 0.35;  // distance from the middle of a line of text to its baseline, in font sizes
constexpr double kTickLength = 4;
constexpr double kYLabelGap = 8;

using Anchor = SvgWriter::Anchor;

// Returns the y of SVG, which grows downwards.
double Down(const PlotLayout& layout, double y) { return layout.height - y; }

void TextAt(const PlotLayout& layout, double x, double y, const std::string& text, const char* classes, Anchor anchor,
            SvgWriter& out) {
  if (!text.empty()) {
    out.Text(x, Down(layout, y) + kMiddle * kPlotFont, text, classes, anchor);
  }
}

void DrawYAxis(const PlotLayout& layout, SvgWriter& out) {
  for (const Tick& tick : layout.y.ticks) {
    const double y = PlaceY(layout, tick.at);
    out.Line(layout.left, Down(layout, y), layout.right, Down(layout, y), "grid");
    TextAt(layout, layout.left - kYLabelGap, y, tick.label, "tick", Anchor::kEnd, out);
  }
}

void DrawXAxis(const PlotLayout& layout, SvgWriter& out) {
  const double bottom = Down(layout, layout.bottom);
  out.Line(layout.left, bottom, layout.right, bottom, "axis");
  for (const Tick& tick : layout.x.ticks) {
    const double x = PlaceX(layout, tick.at);
    out.Line(x, bottom, x, bottom + kTickLength, "axis");
    if (layout.turned_labels) {
      out.TurnedText(x + kMiddle * kPlotFont, bottom + kYLabelGap, tick.label, "tick");
    } else {
      out.Text(x, bottom + kXLabelGap + 0.5 * kPlotFont, tick.label, "tick", Anchor::kMiddle);
    }
  }
}

// Draws the sample in front of a legend entry, in the style of the plot.
void DrawSample(const proto::Plot& plot, const PlotLayout& layout, const LegendLine& line, SvgWriter& out) {
  constexpr double kBoxHeight = 11;
  const proto::Series& series = plot.series(line.series);
  const double y = Down(layout, line.y), right = line.x + kSampleWidth;
  const bool bars = plot.kind() == proto::STACKED_BARS || plot.kind() == proto::GROUPED_BARS;
  if (bars) {
    out.Rect(line.x, y - kBoxHeight / 2, kSampleWidth, kBoxHeight,
             absl::StrCat("part ", SeriesClass('p', line.series)));
    return;
  }
  if (plot.kind() == proto::HISTOGRAM && line.series == 0) {
    out.Rect(line.x, y - kBoxHeight / 2, kSampleWidth, kBoxHeight,
             absl::StrCat("area ", SeriesClass('c', line.series)));
    return;
  }
  const bool line_alone = series.reference() || series.joined() || plot.kind() == proto::HISTOGRAM;
  if (plot.kind() == proto::LINES || line_alone) {
    out.Line(line.x, y, right, y, LineClasses(plot, line.series));
  }
  if (!line_alone) {
    DrawMarker(plot, line.series, (line.x + right) / 2, y, out);
  }
}

void DrawEndLabel(const proto::Plot& plot, const PlotLayout& layout, const EndLabel& label, SvgWriter& out) {
  constexpr double kLeadGap = 8;  // space between a marker and its lead line
  const auto lines = static_cast<double>(label.lines.size());
  if (label.x - label.end_x > 2 * kLeadGap + 4 || std::max(label.y - label.end_y, label.end_y - label.y) > 3) {
    out.Line(label.end_x + kLeadGap, Down(layout, label.end_y), label.x - 2, Down(layout, label.y), "lead");
  }
  const std::string classes = plot.series(label.series).reference() ? "" : SeriesClass('t', label.series);
  for (size_t i = 0; i < label.lines.size(); ++i) {
    const double down = (static_cast<double>(i) - (lines - 1) / 2) * kLabelSpacing;
    TextAt(layout, label.x, label.y - down, label.lines[i], classes.c_str(), Anchor::kStart, out);
  }
}

}  // namespace

void DrawAxes(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  DrawYAxis(layout, out);
  DrawXAxis(layout, out);
  if (layout.y.low < 0 && layout.y.high > 0 && !layout.y.log) {
    const double zero = Down(layout, PlaceY(layout, 0));
    out.Line(layout.left, zero, layout.right, zero, "axis");
  }
  TextAt(layout, kPlotEdge, layout.y_label_y, plot.y_label(), "", Anchor::kStart, out);
  TextAt(layout, (layout.left + layout.right) / 2, layout.x_label_y, plot.x_label(), "", Anchor::kMiddle, out);
  for (const proto::Mark& mark : plot.mark()) {
    const double x = PlaceX(layout, mark.x());
    out.Line(x, Down(layout, layout.top), x, Down(layout, layout.bottom), "mark");
  }
  for (const MarkLetters& letters : layout.letters) {
    TextAt(layout, letters.x, layout.letters_y, letters.text, "", Anchor::kMiddle, out);
  }
}

void DrawLabels(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  for (const LegendLine& line : layout.legend) {
    if (line.series >= 0) {
      DrawSample(plot, layout, line, out);
    } else if (!line.letter.empty()) {
      TextAt(layout, line.x + kSampleWidth / 2, line.y, line.letter, "", Anchor::kMiddle, out);
    }
    TextAt(layout, line.x + kSampleWidth + kSampleGap, line.y, line.text, "", Anchor::kStart, out);
  }
  for (const EndLabel& label : layout.end_labels) {
    DrawEndLabel(plot, layout, label, out);
  }
}

}  // namespace lockstep
