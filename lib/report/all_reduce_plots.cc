#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/collectives/collective_cost.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/plot/plot_series.h"
#include "lib/report/plots.h"
#include "lib/scaling/pooled_probe.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

double BusGigabytes(double bytes, double seconds, uint32_t ranks) {
  return AllReduceBusBandwidth(ranks, bytes, seconds) * kGigabytesPerSecond.scale;
}

void AddMeasured(const proto::AllReduceFit& fit, proto::Plot& plot) {
  proto::Series& series = AddSeries("measured", proto::DERIVED, plot);
  for (const proto::AllReduceFitPoint& point : fit.point()) {
    if (point.seconds() > 0 && point.size_bytes() > 0) {
      AddPoint(point.size_bytes() * kMegabytes.scale, BusGigabytes(point.size_bytes(), point.seconds(), fit.ranks()),
               series);
    }
  }
}

void AddModel(const proto::AllReduceFit& fit, proto::Plot& plot) {
  proto::Series& series = AddSeries("fit: alpha + beta x bytes", proto::MODELLED, plot);
  series.set_joined(true);
  for (const proto::AllReduceFitPoint& point : fit.point()) {
    if (point.fitted_seconds() > 0 && point.size_bytes() > 0) {
      AddPoint(point.size_bytes() * kMegabytes.scale,
               BusGigabytes(point.size_bytes(), point.fitted_seconds(), fit.ranks()), series);
    }
  }
  if (series.x().empty()) {
    plot.mutable_series()->RemoveLast();
  }
}

// Adds the all-reduce of the gradient alone, timed in the training processes. It does not depend on the batch; the plot
// has one point for all.
void AddProbes(const std::vector<ScalingView>& views, const LabCommModel& file, uint32_t ranks, proto::Plot& plot) {
  std::vector<const proto::ScalePoint*> points;
  for (const ScalingView& view : views) {
    if (view.comm_model == &file) {
      points.insert(points.end(), view.points.begin(), view.points.end());
    }
  }
  const PooledProbe probe = PoolProbes(points, ranks);
  const proto::Quantity bus = BusBandwidthOf(probe, ranks);
  if (bus.has_value() && probe.size_bytes > 0) {
    AddPoint(static_cast<double>(probe.size_bytes) * kMegabytes.scale, bus.value() * kGigabytesPerSecond.scale,
             (bus.has_low() ? bus.low() : bus.value()) * kGigabytesPerSecond.scale,
             (bus.has_high() ? bus.high() : bus.value()) * kGigabytesPerSecond.scale,
             AddSeries("the gradient, by scale_run", proto::DERIVED, plot));
  }
}

// Adds the upper bound for all messages: the nominal link, or else the time per byte of the fit's longest messages.
void AddBound(const proto::AllReduceFit& fit, const LabCommModel& file, double low, double high, proto::Plot& plot) {
  const proto::Quantity& nominal = file.spec.nominal_link_bytes_per_second();
  const bool has_nominal = nominal.has_value() && nominal.value() > 0;
  const double beta = fit.piece().empty() ? 0 : fit.piece().rbegin()->beta_seconds_per_byte().value();
  if (!has_nominal && !(beta > 0)) {
    return;
  }
  const double y = has_nominal ? nominal.value() * kGigabytesPerSecond.scale : BusGigabytes(1, beta, fit.ranks());
  proto::Series& series = AddSeries(
      has_nominal
          ? absl::StrCat("nominal link, ", NumberWithUnit(FormatNumber(y), kGigabytesPerSecond))
          : absl::StrCat("bound of the fit, 1 / beta: ", NumberWithUnit(FormatNumber(y, 3), kGigabytesPerSecond)),
      has_nominal ? nominal.provenance() : proto::MODELLED, plot);
  series.set_reference(true);
  for (const double x : {low, high}) {
    series.add_x(x);
    series.add_y(y);
  }
}

proto::Plot AllReducePlot(const proto::AllReduceFit& fit, const LabCommModel& file,
                          const std::vector<ScalingView>& views) {
  proto::Plot plot;
  plot.set_kind(proto::POINTS);
  plot.set_title(absl::StrCat("Bandwidth of an all-reduce by size: ", fit.source(), " (", file.name(), ")"));
  plot.set_x_label(absl::StrCat(HeadingOf("message", kMegabytes), " (1e6 bytes)"));
  plot.set_y_label(HeadingOf("bus bandwidth", kGigabytesPerSecond));
  plot.set_x_log(true);
  plot.set_y_log(true);
  AddMeasured(fit, plot);
  const proto::Series measured = plot.series(0);
  if (measured.x_size() < 2) {
    return proto::Plot();
  }
  AddProbes(views, file, fit.ranks(), plot);
  AddModel(fit, plot);
  const auto [low, high] = std::minmax_element(measured.x().begin(), measured.x().end());
  AddBound(fit, file, *low, *high, plot);
  plot.set_description(absl::StrCat("Bus bandwidth, 2(N-1)/N x bytes / time on N = ", fit.ranks(),
                                    " devices, against the size of the message: measured, by the fit",
                                    fit.accepted() ? "" : " (which was not accepted)",
                                    ", and the upper bound. The parameters are in the table of fits."));
  return plot;
}

}  // namespace

std::vector<proto::Plot> AllReducePlots(const LabRecords& lab) {
  const std::vector<ScalingView> views = ScalingViews(lab);
  std::vector<proto::Plot> plots;
  for (const LabCommModel& file : lab.comm_models) {
    for (const proto::AllReduceFit& fit : file.all_reduce_fits) {
      if (fit.ranks() < 2) {
        continue;
      }
      if (proto::Plot plot = AllReducePlot(fit, file, views); !plot.series().empty()) {
        plot.set_id(PlotId("all_reduce", plots.size()));
        plots.push_back(std::move(plot));
      }
    }
  }
  return plots;
}

}  // namespace lockstep
