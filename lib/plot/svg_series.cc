#include "lib/plot/svg_series.h"

#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/plot/plot_axis.h"

namespace lockstep {
namespace {

constexpr int kShapes = 5;

std::string XText(const proto::Plot& plot, double x) {
  const auto index = static_cast<int>(x);
  const bool named = index >= 0 && index < plot.tick_size();
  return named ? plot.tick(index) : absl::StrCat(plot.x_label().empty() ? "x" : plot.x_label(), ": ", ValueText(x));
}

}  // namespace

std::string SeriesClass(char letter, int series) {
  return absl::StrCat(std::string(1, letter), series % kSeriesClasses + 1);
}

std::string LineClasses(const proto::Plot& plot, int series) {
  return plot.series(series).reference()
             ? "base"
             : absl::StrCat("line ", SeriesClass('k', series), " ", SeriesClass('d', series));
}

void DrawMarker(const proto::Plot& plot, int series, double x, double y, SvgWriter& out, double radius) {
  const bool hollow = plot.series(series).provenance() == proto::MODELLED || series / kShapes % 2 == 1;
  const std::string classes = absl::StrCat("m ", SeriesClass('c', series), hollow ? " hollow" : "");
  const double r = radius;
  switch (series % kShapes) {
    case 0:
      return out.Circle(x, y, r, classes);
    case 1:
      return out.Rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r, classes);
    case 2:
      return out.Path({{x, y - 1.15 * r}, {x + 1.15 * r, y + 0.85 * r}, {x - 1.15 * r, y + 0.85 * r}}, classes,
                      SvgWriter::Ends::kClosed);
    case 3:
      return out.Path({{x, y - 1.3 * r}, {x + 1.3 * r, y}, {x, y + 1.3 * r}, {x - 1.3 * r, y}}, classes,
                      SvgWriter::Ends::kClosed);
    default:
      return out.Path({{x, y + 1.15 * r}, {x + 1.15 * r, y - 0.85 * r}, {x - 1.15 * r, y - 0.85 * r}}, classes,
                      SvgWriter::Ends::kClosed);
  }
}

std::string ValueText(double value) {
  double rounded = value;
  (void)absl::SimpleAtod(absl::StrFormat("%.4g", value), &rounded);
  return TickLabel(std::abs(value) < 10'000 ? rounded : std::round(value));
}

std::string PointTitle(const proto::Plot& plot, const proto::Series& series, int point) {
  const bool interval =
      point < series.y_low_size() && point < series.y_high_size() && series.y_low(point) < series.y_high(point);
  return absl::StrCat(
      series.label(), series.label().empty() ? "" : "\n", XText(plot, series.x(point)), "\n",
      plot.y_label().empty() ? "y" : plot.y_label(), ": ", ValueText(series.y(point)),
      interval ? absl::StrCat(" (", ValueText(series.y_low(point)), " to ", ValueText(series.y_high(point)), ")") : "");
}

void OpenPoint(absl::string_view title, double x, double y, SvgWriter& out, double radius) {
  out.Open(title);
  out.Circle(x, y, radius, "hit");
}

}  // namespace lockstep
