#include "lib/report/plots.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/plot/plot_series.h"
#include "lib/report/sweep_detail.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

void AddSample(double x, const proto::Samples& samples, proto::Series& series) {
  if (samples.value().empty()) {
    return;
  }
  const MeanAndDeviation spread = MeanAndDeviationOf(samples);
  AddPoint(x, spread.mean, spread.mean - spread.standard_deviation, spread.mean + spread.standard_deviation, series);
}

size_t CompletedCount(const LabSweep& sweep) {
  return static_cast<size_t>(
      std::count_if(sweep.points.begin(), sweep.points.end(),
                    [](const proto::SweepPoint& point) { return point.outcome() == proto::COMPLETED; }));
}

proto::Plot EpochTimePlot(const LabSweep& sweep) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_title(absl::StrCat("Time of an epoch against batch size, ", DescribeSweep(sweep)));
  plot.set_x_label("images per batch");
  plot.set_y_label("seconds per epoch");
  plot.set_x_log(true);
  proto::Series& with = *plot.add_series();
  with.set_label("with data loading");
  with.set_provenance(proto::MEASURED);
  proto::Series& without = *plot.add_series();
  without.set_label("without data loading");
  without.set_provenance(proto::MEASURED);
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() == proto::COMPLETED) {
      AddSample(point.batch_size(), point.epoch_seconds(), with);
      AddSample(point.batch_size(), point.step_seconds(), without);
    }
  }
  plot.set_description(
      "Seconds per epoch against the batch size, a point per batch with one sample standard deviation as "
      "its error bar. The numbers are in the table of Q1.");
  return plot;
}

proto::Plot SpeedupPlot(const ScalingView& view) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_title(absl::StrCat("Speed-up of an epoch: ", view.Title()));
  plot.set_x_label("devices N");
  plot.set_y_label("E_1(B) / E_N(B)");
  std::map<uint32_t, proto::Series> series_of_batch;
  uint32_t max_ranks = 1;
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow& row = *one;
    if (row.ranks() <= 1 || !row.epoch_speedup().has_value()) {
      continue;
    }
    proto::Series& series = series_of_batch[row.batch_per_device()];
    if (series.x().empty()) {  // base case
      series.set_label(absl::StrCat("batch ", row.batch_per_device(), " per device"));
      series.set_provenance(row.epoch_speedup().provenance());
      AddPoint(1, 1, series);
    }
    AddPoint(row.ranks(), row.epoch_speedup(), series);
    max_ranks = std::max(max_ranks, row.ranks());
  }
  for (auto& [batch, series] : series_of_batch) {
    *plot.add_series() = std::move(series);
  }
  if (!plot.series().empty()) {
    AddDiagonal("ideal: N", 1, max_ranks, plot);
  }
  plot.set_description(
      "Speed-up against the number of devices: a line per batch size, error bars over the interval of the record, and "
      "the ideal line y = N. The numbers are in Table 1.");
  return plot;
}

// Sets the parts of one row; returns false if a part is not known.
bool Parts(const proto::ScalingRow& row, double& compute, double& exposed, double& rest) {
  if (!row.compute_seconds().has_value() || !row.communication_seconds().has_value() ||
      !row.exposed_event_seconds().has_value()) {
    return false;
  }
  compute = row.compute_seconds().value();
  exposed = row.exposed_event_seconds().value();
  rest = row.communication_seconds().value() - exposed;
  return true;
}

proto::Plot SplitPlot(const ScalingView& view) {
  proto::Plot plot;
  plot.set_kind(proto::STACKED_BARS);
  plot.set_title(absl::StrCat("Where the time goes: ", view.Title()));
  plot.set_x_label("devices N x batch per device B");
  plot.set_y_label("seconds per epoch, without loading");
  for (const char* label : {"computing: s_1(B) / N", "all-reduce exposed, by events", "the rest of s_N(B)"}) {
    proto::Series& series = *plot.add_series();
    series.set_label(label);
    series.set_provenance(proto::DERIVED);
  }
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow& row = *one;
    double parts[3];
    if (row.ranks() <= 1 || !Parts(row, parts[0], parts[1], parts[2])) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      plot.mutable_series(i)->add_x(plot.tick_size());
      plot.mutable_series(i)->add_y(parts[i]);
      if (parts[i] < 0) {
        plot.set_kind(proto::GROUPED_BARS);
      }
    }
    plot.add_tick(absl::StrCat(row.ranks(), " x ", row.batch_per_device()));
  }
  plot.set_description(plot.kind() == proto::STACKED_BARS
                           ? "A bar per number of devices and batch: computing, exposed all-reduce, and the rest, "
                             "stacked to the epoch's time."
                           : "Bars side by side per number of devices and batch, because a part is negative: "
                             "computing, exposed all-reduce, "
                             "and the rest.");
  return plot;
}

}  // namespace

std::vector<proto::Plot> EpochTimePlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  for (const LabSweep& sweep : lab.sweeps) {
    if (CompletedCount(sweep) > 1) {
      proto::Plot plot = EpochTimePlot(sweep);
      plot.set_id(PlotId("epoch_time", plots.size()));
      plots.push_back(std::move(plot));
    }
  }
  GroupIfMany("Time of an epoch against batch size, of each record", plots);
  return plots;
}

std::vector<proto::Plot> SpeedupPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  for (const ScalingView& view : ScalingViews(lab)) {
    proto::Plot plot;
    if (view.comm_model != nullptr && !(plot = SpeedupPlot(view)).series().empty()) {
      plot.set_id(PlotId("speedup", plots.size()));
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

std::vector<proto::Plot> SplitPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  for (const ScalingView& view : ScalingViews(lab)) {
    proto::Plot plot;
    if (view.comm_model != nullptr && !(plot = SplitPlot(view)).tick().empty()) {
      plot.set_id(PlotId("split", plots.size()));
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

}  // namespace lockstep
