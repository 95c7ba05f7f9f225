#include "lib/plot/svg_rows.h"

#include "absl/strings/str_cat.h"
#include "lib/plot/svg_series.h"

namespace lockstep {

double Baseline(double y) {
  constexpr double kMiddle = 0.35;  // share of the font size between middle and baseline
  return y + kMiddle * kPlotFont;
}

void DrawRowNames(const RowLayout& layout, SvgWriter& out) {
  for (const PlotRow& row : layout.rows) {
    const double first = row.y - (static_cast<double>(row.lines.size()) - 1) / 2 * kLabelSpacing;
    for (size_t i = 0; i < row.lines.size(); ++i) {
      out.Text(kPlotEdge, Baseline(first + static_cast<double>(i) * kLabelSpacing), row.lines[i], "name");
    }
  }
}

void DrawRowLegend(const proto::Plot& plot, const RowLayout& layout, SvgWriter& out) {
  constexpr double kSwatch = 12, kTextAfter = 18;
  for (const LegendLine& entry : layout.legend) {
    if (plot.kind() == proto::SHARE_BARS) {
      out.Rect(entry.x, entry.y - kSwatch / 2, kSwatch, kSwatch, SeriesClass('p', entry.series));
    } else {
      DrawMarker(plot, entry.series, entry.x + kSwatch / 2, entry.y, out);
    }
    out.Text(entry.x + kTextAfter, Baseline(entry.y), entry.text, "");
  }
}

}  // namespace lockstep
