#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/plot/plot_series.h"
#include "lib/report/sections.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// Returns the part of a source that distinguishes it in a legend: "fp32" for "PyTorch on 4 x H200, fp32"; "scale.rec"
// for a path.
std::string ShortSource(const std::string& source) {
  const size_t comma = source.rfind(", ");
  return FileNameOf(comma == std::string::npos ? source : source.substr(comma + 2));
}

// Points by label, sorted by x, because lines need sorted points.
using PointsByLabel = std::map<std::string, std::map<double, const proto::Quantity*>>;

// Returns a plot of modelled seconds on two logarithmic axes.
proto::Plot ModelledPlot(proto::PlotKind kind, const std::string& title, const char* x_label, const char* y_label,
                         const PointsByLabel& points_by_label) {
  proto::Plot plot;
  plot.set_kind(kind);
  plot.set_title(title);
  plot.set_x_label(x_label);
  plot.set_y_label(y_label);
  plot.set_x_log(true);
  plot.set_y_log(true);
  for (const auto& [label, points] : points_by_label) {
    proto::Series& series = AddSeries(label, proto::MODELLED, plot);
    for (const auto& [x, y] : points) {
      AddPoint(x, *y, series);
    }
  }
  return plot;
}

// Returns how much each prediction differs from its run, so that short and long epochs share one axis.
proto::Plot PredictedPlot(const LabCommModel& file) {
  proto::Plot plot;
  plot.set_kind(proto::RANKED_DOTS);
  plot.set_title(absl::StrCat("Epochs predicted from smaller runs, against measured (", file.name(), ")"));
  plot.set_y_label("predicted above (+) or below (-) measured, %");
  proto::Series& series = AddSeries("predicted", proto::MODELLED, plot);
  for (const proto::Prediction& p : file.predictions) {
    const double measured = p.measured_epoch_seconds().value();
    if (!p.measured_epoch_seconds().has_value() || !p.epoch_seconds().has_value() || !(measured > 0)) {
      continue;
    }
    const auto difference = [&](double seconds) { return kPercent.scale * (seconds / measured - 1); };
    const proto::Quantity& seconds = p.epoch_seconds();
    AddPoint(plot.tick_size(), difference(seconds.value()),
             difference(seconds.has_low() ? seconds.low() : seconds.value()),
             difference(seconds.has_high() ? seconds.high() : seconds.value()), series);
    const bool outside = p.has_inside_interval() && !p.inside_interval();
    plot.add_tick(absl::StrCat(p.ranks(), " x ", FormatCount(p.batch_per_device()), ", ", ShortSource(p.source()),
                               outside ? ", outside its interval" : ""));
  }
  if (plot.tick().empty()) {
    return proto::Plot();
  }
  proto::Mark& mark = *plot.add_mark();
  mark.set_x(0);
  mark.set_label("measured");
  plot.set_description(
      "Difference of the predicted from the measured seconds of an epoch in per cent, a dot per number of devices and "
      "batch with a bar over the prediction's interval. The numbers are in the table above.");
  return plot;
}

// Adds the row to the line of its variant, batch and exchange; a row of one host to the lines of all exchanges.
void AddToLines(const proto::WhatIfRow& row, const LabCommModel& file, PointsByLabel& points) {
  const std::string label = absl::StrCat(row.variant(), ", batch ", row.batch_per_device());
  std::set<std::string> exchanges;
  for (const proto::WhatIfRow& other : file.what_ifs) {
    if (other.hosts() > 1 && !other.exchange().empty()) {
      exchanges.insert(other.exchange());
    }
  }
  if (row.hosts() > 1 && !row.exchange().empty()) {
    exchanges = {row.exchange()};
  }
  if (exchanges.empty()) {
    points[label][row.devices()] = &row.epoch_seconds();
  }
  for (const std::string& exchange : exchanges) {
    points[absl::StrCat(label, ", ", exchange)][row.devices()] = &row.epoch_seconds();
  }
}

proto::Plot WhatIfPlot(const LabCommModel& file) {
  PointsByLabel points;
  for (const proto::WhatIfRow& row : file.what_ifs) {
    if (row.epoch_seconds().has_value() && row.epoch_seconds().low() > 0) {
      AddToLines(row, file, points);
    }
  }
  proto::Plot plot =
      ModelledPlot(proto::LINES, absl::StrCat("What if: modelled epoch on more devices (", file.name(), ")"),
                   "devices N", "epoch, s", points);
  plot.set_description(
      "Modelled seconds of an epoch against the number of devices, a line per variant, batch and exchange.");
  return plot;
}

}  // namespace

std::vector<proto::Plot> PredictionPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  size_t predicted = 0, what_ifs = 0;
  for (const LabCommModel& file : lab.comm_models) {
    if (proto::Plot plot = PredictedPlot(file); !plot.series().empty()) {
      plot.set_id(PlotId("predicted", predicted++));
      plots.push_back(std::move(plot));
    }
    if (proto::Plot plot = WhatIfPlot(file); !plot.series().empty()) {
      plot.set_id(PlotId("what_if", what_ifs++));
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

}  // namespace lockstep
