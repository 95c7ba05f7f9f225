#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/report/plots.h"
#include "lib/report/prediction_section.h"

namespace lockstep {
namespace {

// What tells a source from its neighbours in a legend: "fp32" of "PyTorch on 4 x H200, fp32"; "scale.rec" of a path.
std::string ShortSource(const std::string& source) {
  const size_t comma = source.rfind(", ");
  const std::string last = comma == std::string::npos ? source : source.substr(comma + 2);
  const size_t slash = last.rfind('/');
  return slash == std::string::npos ? last : last.substr(slash + 1);
}

void AddPoint(double x, const proto::Quantity& y, proto::Series& series) {
  series.add_x(x);
  series.add_y(y.value());
  series.add_y_low(y.has_low() ? y.low() : y.value());
  series.add_y_high(y.has_high() ? y.high() : y.value());
}

proto::Series EqualLine(double low, double high) {
  proto::Series line;
  line.set_label("predicted = measured");
  line.set_provenance(proto::DERIVED);
  line.set_reference(true);
  for (const double seconds : {low, high}) {
    line.add_x(seconds);
    line.add_y(seconds);
  }
  return line;
}

// The points of one series in order of x, which lines want.
void AddSorted(std::map<double, const proto::Quantity*> points, const std::string& label, proto::Plot& plot) {
  proto::Series& series = *plot.add_series();
  series.set_label(label);
  series.set_provenance(proto::MODELLED);
  for (const auto& [x, y] : points) {
    AddPoint(x, *y, series);
  }
}

proto::Plot PredictedPlot(const CommModelRecords& file) {
  proto::Plot plot;
  plot.set_kind(proto::POINTS);
  plot.set_title("Predicted against measured epochs");
  plot.set_x_label("measured, s");
  plot.set_y_label("predicted, s");
  plot.set_x_log(true);
  plot.set_y_log(true);
  std::map<std::string, std::map<double, const proto::Quantity*>> series;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const proto::Prediction& p : file.predictions) {
    const double measured = p.measured_epoch_seconds().value();
    if (p.measured_epoch_seconds().has_value() && p.epoch_seconds().has_value() && measured > 0 &&
        p.epoch_seconds().low() > 0) {
      series[absl::StrCat(p.ranks(), " devices, ", ShortSource(p.source()))][measured] = &p.epoch_seconds();
      low = std::min(low, measured);
      high = std::max(high, measured);
    }
  }
  for (auto& [label, points] : series) {
    AddSorted(std::move(points), label, plot);
  }
  if (!plot.series().empty()) {
    *plot.add_series() = EqualLine(low, high);
  }
  plot.set_description(
      "Predicted against measured seconds of an epoch, error bars over the predictions' intervals, and the line on "
      "which both "
      "are equal. The numbers are in the table above.");
  return plot;
}

proto::Plot WhatIfPlot(const CommModelRecords& file) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_title("What if: epoch on more devices (modelled)");
  plot.set_x_label("devices N");
  plot.set_y_label("epoch, s");
  plot.set_x_log(true);
  plot.set_y_log(true);
  std::map<std::string, std::map<double, const proto::Quantity*>> series;
  for (const proto::WhatIfRow& row : file.what_ifs) {
    if (row.epoch_seconds().has_value() && row.epoch_seconds().low() > 0) {
      series[absl::StrCat(row.variant(), ", batch ", row.batch_per_device())][row.devices()] = &row.epoch_seconds();
    }
  }
  for (auto& [label, points] : series) {
    AddSorted(std::move(points), label, plot);
  }
  plot.set_description("Modelled seconds of an epoch against the number of devices, a line per variant and batch.");
  return plot;
}

}  // namespace

std::vector<proto::Plot> PredictionPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  size_t predicted = 0, what_ifs = 0;
  for (const CommModelRecords& file : lab.comm_models) {
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
