#include "lib/report/plots.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/plot/plot_series.h"
#include "lib/report/sweep_detail.h"
#include "lib/statistics/unit.h"
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

// Returns the efficiency in per cent.
proto::Quantity PerCentOf(const proto::Quantity& speedup, uint32_t ranks) {
  const double scale = kPercent.scale / ranks;
  proto::Quantity efficiency = speedup;
  efficiency.set_value(scale * speedup.value());
  if (speedup.has_low()) {
    efficiency.set_low(scale * speedup.low());
  }
  if (speedup.has_high()) {
    efficiency.set_high(scale * speedup.high());
  }
  return efficiency;
}

proto::Plot SpeedupPlot(const ScalingView& view) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_title(absl::StrCat("Efficiency of several devices: ", view.Title()));
  plot.set_x_label("devices N");
  plot.set_y_label("% of N times the epochs per second of one device");
  plot.set_x_log(true);
  plot.set_y_cropped(true);
  std::map<uint32_t, proto::Series> series_of_batch;
  double min_ranks = std::numeric_limits<double>::infinity(), max_ranks = 0;
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow& row = *one;
    if (row.ranks() <= 1 || !row.epoch_speedup().has_value()) {
      continue;
    }
    proto::Series& series = series_of_batch[row.batch_per_device()];
    series.set_label(absl::StrCat("batch ", FormatCount(row.batch_per_device())));
    series.set_provenance(row.epoch_speedup().provenance());
    AddPoint(row.ranks(), PerCentOf(row.epoch_speedup(), row.ranks()), series);
    min_ranks = std::min<double>(min_ranks, row.ranks());
    max_ranks = std::max<double>(max_ranks, row.ranks());
  }
  for (auto& [batch, series] : series_of_batch) {
    *plot.add_series() = std::move(series);
  }
  if (!plot.series().empty()) {
    proto::Series& ideal = AddSeries("ideal", proto::DERIVED, plot);
    ideal.set_reference(true);
    for (const double ranks : {min_ranks, max_ranks}) {
      ideal.add_x(ranks);
      ideal.add_y(kPercent.scale);
    }
  }
  plot.set_description(
      "Efficiency of epochs, E_1(B) / E_N(B) / N, against the number of devices: a line per batch per device, error "
      "bars over the interval of the record, and the ideal of 100 %. The axis need not begin at 0. The numbers are in "
      "Table 1.");
  return plot;
}

// Sets the parts of one row; returns false if a part is not known, or if the exposed time is below 0.
bool Parts(const proto::ScalingRow& row, double& compute, double& exposed, double& rest) {
  if (!row.compute_seconds().has_value() || !row.communication_seconds().has_value() ||
      !row.exposed_event_seconds().has_value() || row.exposed_event_seconds().value() < 0) {
    return false;
  }
  compute = row.compute_seconds().value();
  exposed = row.exposed_event_seconds().value();
  rest = row.communication_seconds().value() - exposed;
  return true;
}

// Largest part below 0, as a share of its bar, that is not drawn. A rest within the noise of two timings is often below
// 0.
constexpr double kMaxHiddenShare = 0.05;

// Returns true if the parts can be drawn as shares: no part is below 0 by more than kMaxHiddenShare.
bool AreShares(const proto::Plot& plot) {
  for (int tick = 0; tick < plot.tick_size(); ++tick) {
    double sum = 0, least = 0;
    for (const proto::Series& series : plot.series()) {
      sum += series.y(tick);
      least = std::min(least, series.y(tick));
    }
    if (!(sum > 0) || -least > kMaxHiddenShare * sum) {
      return false;
    }
  }
  return true;
}

// Sorts rows by batch, then by number of devices.
std::vector<const proto::ScalingRow*> SortedRows(const ScalingView& view) {
  std::vector<const proto::ScalingRow*> rows(view.rows.begin(), view.rows.end());
  std::stable_sort(rows.begin(), rows.end(), [](const proto::ScalingRow* a, const proto::ScalingRow* b) {
    return std::make_pair(a->batch_per_device(), a->ranks()) < std::make_pair(b->batch_per_device(), b->ranks());
  });
  return rows;
}

proto::Plot SplitPlot(const ScalingView& view) {
  proto::Plot plot;
  plot.set_kind(proto::SHARE_BARS);
  plot.set_title(absl::StrCat("Where the time goes: ", view.Title()));
  plot.set_x_label("devices N x batch per device B");
  plot.set_y_label("seconds per epoch, without loading");
  for (const char* label : {"computing: s_1(B) / N", "the rest of s_N(B)", "all-reduce exposed, by events"}) {
    proto::Series& series = *plot.add_series();
    series.set_label(label);
    series.set_provenance(proto::DERIVED);
  }
  for (const proto::ScalingRow* const one : SortedRows(view)) {
    const proto::ScalingRow& row = *one;
    double parts[3];
    if (row.ranks() <= 1 || !Parts(row, parts[0], parts[2], parts[1])) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      plot.mutable_series(i)->add_x(plot.tick_size());
      plot.mutable_series(i)->add_y(parts[i]);
    }
    plot.add_tick(absl::StrCat(row.ranks(), " x ", FormatCount(row.batch_per_device())));
  }
  if (!AreShares(plot)) {
    plot.set_kind(proto::GROUPED_BARS);
  }
  plot.set_description(plot.kind() == proto::SHARE_BARS
                           ? "A bar per number of devices and batch: shares of computing, exposed all-reduce, and the "
                             "rest. A rest below 0 is not drawn. The seconds are in the tables of Q3."
                           : "Bars side by side per number of devices and batch, because a part is negative: "
                             "computing, exposed all-reduce, "
                             "and the rest.");
  return plot;
}

// Returns the plots of all views that comm_model explains, the plot of the main view first. `make` returns a plot
// without series or without points for a view that has none.
std::vector<proto::Plot> PlotsOfViews(const LabRecords& lab, absl::string_view kind,
                                      proto::Plot (*make)(const ScalingView& view)) {
  const std::vector<ScalingView> views = ScalingViews(lab);
  const ScalingView* const answering = MainScalingView(views);
  std::vector<proto::Plot> plots;
  std::optional<size_t> main;
  for (const ScalingView& view : views) {
    proto::Plot plot = view.comm_model == nullptr ? proto::Plot() : make(view);
    if (plot.series().empty() || plot.series(0).x().empty()) {
      continue;
    }
    if (&view == answering) {
      main = plots.size();
    }
    plots.push_back(std::move(plot));
  }
  SetPlotIds(kind, main, plots);
  return plots;
}

}  // namespace

std::vector<proto::Plot> EpochTimePlots(const LabRecords& lab) {
  const LabSweep* const answering = RepeatedSweep(lab);
  std::vector<proto::Plot> plots;
  std::optional<size_t> main;
  for (const LabSweep& sweep : lab.sweeps) {
    if (CompletedCount(sweep) > 1) {
      if (&sweep == answering) {
        main = plots.size();
      }
      plots.push_back(EpochTimePlot(sweep));
    }
  }
  SetPlotIds("epoch_time", main, plots);
  GroupIfMany("Time of an epoch against batch size, of each record", plots);
  return plots;
}

std::vector<proto::Plot> SpeedupPlots(const LabRecords& lab) { return PlotsOfViews(lab, "speedup", SpeedupPlot); }

std::vector<proto::Plot> SplitPlots(const LabRecords& lab) { return PlotsOfViews(lab, "split", SplitPlot); }

}  // namespace lockstep
