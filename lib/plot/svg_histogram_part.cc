#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/plot/svg_parts.h"
#include "lib/plot/svg_series.h"

namespace lockstep {

// Fills the first histogram and outlines the others, so that all are visible and differ without colour.
void DrawHistogram(const proto::Plot& plot, const PlotLayout& layout, SvgWriter& out) {
  for (int i = 0; i < plot.series_size(); ++i) {
    const proto::Series& series = plot.series(i);
    SvgWriter::Points corners;
    double before = layout.height - layout.bottom;
    for (int j = 0; j < series.x_size(); ++j) {
      const double x = PlaceX(layout, series.x(j));
      const double y = layout.height - PlaceY(layout, std::max(layout.y.low, series.y(j)));  // a log axis has no 0
      corners.push_back({x, before});
      corners.push_back({x, y});
      before = y;
    }
    out.Open(series.label());
    if (i == 0) {
      out.Path(corners, absl::StrCat("area ", SeriesClass('c', i)), SvgWriter::Ends::kClosed);
    }
    out.Path(corners, absl::StrCat("line outline ", SeriesClass('k', i)));
    out.Close();
  }
}

}  // namespace lockstep
