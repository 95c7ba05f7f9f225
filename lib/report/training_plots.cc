#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/lab_records/large_batch.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/plot/plot_series.h"
#include "lib/plot/plot_style.h"
#include "lib/report/plots.h"
#include "lib/report/sweep_detail.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr size_t kMaxLines = 4;                        // more lines in one plot would be a knot
constexpr size_t kMaxCurves = std::size(kPointTypes);  // maximum that differs without colour

using Epochs = google::protobuf::RepeatedPtrField<proto::EpochResult>;

// Line of a plot.
struct Curve {
  std::string label;  // "batch 32", "2 x 512"
  // Heading and label in a figure of small plots: "batch 512" and "N = 2"; the latter is empty if each line has a plot.
  std::string panel, panel_label;
  const Epochs* epochs;
};

bool HasTestAccuracies(const std::vector<Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
    return std::count_if(curve.epochs->begin(), curve.epochs->end(),
                         [](const proto::EpochResult& epoch) { return epoch.has_test_accuracy(); }) > 1;
  });
}

proto::Plot CurvePlot(const std::string& what, const std::string& run, const char* x_label, const char* y_label,
                      size_t left_out) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_title(absl::StrCat(what, " per epoch, ", run));
  plot.set_x_label(x_label);
  plot.set_y_label(y_label);
  plot.set_description(
      absl::StrCat(what, " against the epoch, a line per point of the record.",
                   left_out > 0 ? absl::StrCat(" Of its points the first ", kMaxCurves, " are shown.") : "",
                   " The numbers are in the table of the epochs."));
  return plot;
}

// Adds the plot of the loss, and that of the accuracy: on the test set if it was measured more than once, else in
// training.
void AddCurves(const std::string& run, const char* x_label, std::vector<Curve> curves,
               std::vector<proto::Plot>& plots) {
  curves.erase(std::remove_if(curves.begin(), curves.end(), [](const Curve& c) { return c.epochs->size() < 2; }),
               curves.end());
  if (curves.empty()) {
    return;
  }
  const size_t left_out = curves.size() - std::min(curves.size(), kMaxCurves);
  curves.resize(curves.size() - left_out);
  const bool test = HasTestAccuracies(curves);
  proto::Plot loss = CurvePlot("Mean training loss", run, x_label, "cross-entropy", left_out);
  proto::Plot accuracy =
      CurvePlot(test ? "Accuracy on the test set" : "Accuracy in training", run, x_label, "%", left_out);
  const bool panels = curves.size() > kMaxLines;
  for (const Curve& curve : curves) {
    proto::Series& losses = AddSeries(panels ? curve.panel_label : curve.label, proto::MEASURED, loss);
    proto::Series& accuracies = AddSeries(panels ? curve.panel_label : curve.label, proto::MEASURED, accuracy);
    losses.set_panel(panels ? curve.panel : "");
    accuracies.set_panel(panels ? curve.panel : "");
    for (const proto::EpochResult& epoch : *curve.epochs) {
      const double x = epoch.epoch() + 1.0;
      AddPoint(x, epoch.mean_loss(), losses);
      if (!test || epoch.has_test_accuracy()) {
        AddPoint(x, kPercent.scale * (test ? epoch.test_accuracy() : epoch.train_accuracy()), accuracies);
      }
    }
  }
  plots.push_back(std::move(loss));
  plots.push_back(std::move(accuracy));
}

std::vector<Curve> CurvesOf(const ScalingView& view) {
  std::vector<Curve> curves;
  for (const proto::ScalePoint* const point : view.points) {
    if (point->reduction() != proto::ABLATED && point->outcome() == proto::COMPLETED) {
      const std::string batch = FormatCount(point->batch_per_device());
      const char* const plain = point->reduction() == proto::PLAIN ? ", plain" : "";
      curves.push_back({absl::StrCat(point->ranks(), " x ", batch, plain), absl::StrCat("batch ", batch),
                        absl::StrCat("N = ", point->ranks(), plain), &point->epoch()});
    }
  }
  return curves;
}

proto::Plot LargeBatchPlot(const LargeBatchView& large) {
  const ExperimentView& view = *large.view;
  proto::Plot plot;
  plot.set_kind(proto::RANKED_DOTS);
  plot.set_title(absl::StrCat("What a large batch costs and what repairs it: ", view.Title()));
  plot.set_x_label("global batch, remedy");
  plot.set_y_label(HeadingOf(large.AccuracyName(), kPercent));
  proto::Series& series = AddSeries("mean over seeds, from the worst seed to the best", proto::MEASURED, plot);
  for (const ExperimentRow& row : view.rows) {
    const proto::Samples values = large.Accuracies(row);
    if (values.value().empty()) {
      continue;
    }
    const auto [low, high] = std::minmax_element(values.value().begin(), values.value().end());
    AddPoint(plot.tick_size(), kPercent.scale * MeanOf(values), kPercent.scale * *low, kPercent.scale * *high, series);
    plot.add_tick(row.name);
  }
  if (large.base != nullptr && !large.Accuracies(*large.base).value().empty()) {
    proto::Mark& mark = *plot.add_mark();
    mark.set_x(kPercent.scale * MeanOf(large.Accuracies(*large.base)));
    mark.set_label(absl::StrCat("batch ", large.base->name));
  }
  plot.set_description(
      "A dot per batch and remedy, sorted, with a bar from the worst seed to the best. The axis may not begin at 0. "
      "The "
      "numbers are in the tables of Q4.");
  return plot;
}

}  // namespace

std::vector<proto::Plot> TrainingPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  for (const LabSweep& sweep : lab.sweeps) {
    std::vector<Curve> curves;
    for (const proto::SweepPoint& point : sweep.points) {
      const std::string name = absl::StrCat("batch ", FormatCount(point.batch_size()));
      curves.push_back({name, name, "", &point.epoch()});
    }
    AddCurves(DescribeSweep(sweep), "epoch", std::move(curves), plots);
  }
  for (const ScalingView& view : ScalingViews(lab)) {
    AddCurves(view.Title(), "epoch; lines: devices x batch per device", CurvesOf(view), plots);
  }
  for (size_t i = 0; i < plots.size(); ++i) {  // plots come in pairs
    plots[i].set_id(PlotId(i % 2 == 0 ? "loss" : "accuracy", i / 2));
  }
  GroupIfMany("Loss and accuracy of each record", plots);
  return plots;
}

std::vector<proto::Plot> LargeBatchPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  std::optional<size_t> main;
  bool is_answered = false;
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    const LargeBatchView large = MakeLargeBatchView(view);
    const bool answers = !is_answered && LargestTrained(large) != nullptr;
    is_answered = is_answered || answers;
    if (proto::Plot plot = LargeBatchPlot(large); plot.tick_size() > 1) {
      if (answers) {
        main = plots.size();
      }
      plots.push_back(std::move(plot));
    }
  }
  SetPlotIds("large_batch", main, plots);
  return plots;
}

}  // namespace lockstep
