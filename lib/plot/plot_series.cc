#include "lib/plot/plot_series.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace lockstep {

std::string PlotId(absl::string_view kind, size_t index) {
  return index == 0 ? std::string(kind) : absl::StrCat(kind, "_", index + 1);
}

void SetPlotIds(absl::string_view kind, std::optional<size_t> main, std::vector<proto::Plot>& plots) {
  if (main.has_value()) {
    std::rotate(plots.begin(), plots.begin() + static_cast<ptrdiff_t>(*main),
                plots.begin() + static_cast<ptrdiff_t>(*main) + 1);
  }
  for (size_t i = 0; i < plots.size(); ++i) {
    plots[i].set_id(PlotId(kind, main.has_value() ? i : i + 1));
  }
}

proto::Series& AddSeries(const std::string& label, proto::Provenance provenance, proto::Plot& plot) {
  proto::Series& series = *plot.add_series();
  series.set_label(label);
  series.set_provenance(provenance);
  return series;
}

void AddPoint(double x, double y, double low, double high, proto::Series& series) {
  series.add_x(x);
  series.add_y(y);
  series.add_y_low(low);
  series.add_y_high(high);
}

void AddPoint(double x, const proto::Quantity& y, proto::Series& series) {
  AddPoint(x, y.value(), y.has_low() ? y.low() : y.value(), y.has_high() ? y.high() : y.value(), series);
}

void AddPoint(double x, double y, proto::Series& series) { AddPoint(x, y, y, y, series); }

void GroupIfMany(const std::string& heading, std::vector<proto::Plot>& plots) {
  constexpr size_t kMaxOpen = 8;
  for (size_t i = 0; plots.size() > kMaxOpen && i < plots.size(); ++i) {
    plots[i].set_group(absl::StrCat(heading, ": ", plots.size(), " plots"));
  }
}

}  // namespace lockstep
