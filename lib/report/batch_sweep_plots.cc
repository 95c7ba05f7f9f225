#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plot/plot_series.h"
#include "lib/report/plots.h"
#include "lib/report/sweep_detail.h"
#include "lib/statistics/unit.h"
#include "lib/summary/lab_runs.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

bool IsBatchSweep(const LabSweep& sweep) {
  return std::count_if(sweep.points.begin(), sweep.points.end(),
                       [](const proto::SweepPoint& point) { return point.outcome() == proto::COMPLETED; }) > 1;
}

// Sweeps of one network on one device, each with the words that distinguish it from the others.
struct Group {
  std::string title;  // "resnet18 on NVIDIA H200"
  std::vector<std::pair<const LabSweep*, std::string>> sweeps;
  std::vector<std::string> letters;  // letters of the sweeps

  // Returns the letters that Runs() names.
  std::vector<std::string> Named() const {
    constexpr size_t kMaxNamed = 3;
    return letters.size() > kMaxNamed ? std::vector<std::string>() : letters;
  }

  // Returns "run A", "runs A and C"; "8 runs" if there are too many to name.
  std::string Runs() const {
    return Named().empty() ? absl::StrCat(letters.size(), " runs")
                           : absl::StrCat(letters.size() == 1 ? "run " : "runs ", JoinAnd(letters));
  }
};

// Returns "bf16, fused step", and adds the record's name if another sweep of the group has the same label.
std::string LabelOf(const LabSweep& sweep, std::set<std::string>& taken) {
  const proto::TrainingSpec& training = sweep.spec.training();
  const std::string way = DescribeWay(training);
  std::string label = training.precision() != proto::FP32
                          ? way
                          : absl::StrCat(DescribePrecision(proto::FP32), way.empty() ? "" : ", ", way);
  if (!taken.insert(label).second) {
    absl::StrAppend(&label, " (", sweep.name(), ")");
  }
  return label;
}

std::vector<Group> GroupsOf(const LabRecords& lab) {
  std::vector<Group> groups;
  std::map<std::string, std::set<std::string>> labels;  // labels by title
  for (const LabSweep& sweep : lab.sweeps) {
    if (!IsBatchSweep(sweep)) {
      continue;
    }
    const std::string title = absl::StrCat(sweep.spec.training().model(), " on ", DescribeDevices(sweep.header));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.title == title; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{title, {}, {}});
    }
    group->sweeps.push_back({&sweep, LabelOf(sweep, labels[title])});
    group->letters.push_back(LetterOf(lab, sweep));
  }
  return groups;
}

// Adds marks at the end of the sweep, and at the largest batch that bisection found.
void AddMarks(const LabSweep& sweep, const std::string& label, proto::Plot& plot) {
  const auto add = [&](uint32_t batch, const std::string& what) {
    proto::Mark& mark = *plot.add_mark();
    mark.set_x(batch);
    mark.set_label(absl::StrCat(label, ": ", FormatCount(batch), " ", what));
  };
  if (sweep.end.largest_fitting_batch() != 0) {
    add(sweep.end.largest_fitting_batch(),
        sweep.end.smallest_failing_batch() != 0 ? "is the largest that fits" : "fits; memory is not the limit");
  }
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() != proto::COMPLETED) {
      add(point.batch_size(), absl::StrCat("ends the sweep: ", DescribeOutcome(point.outcome())));
      return;
    }
  }
  if (sweep.end.reason() == proto::END_MAX_BATCH && sweep.end.largest_completed_batch() != 0) {
    add(sweep.end.largest_completed_batch(), "is the last one requested");
  }
}

proto::Plot MakePlot(const Group& group, const char* id, const char* what, const std::string& y_label) {
  proto::Plot plot;
  plot.set_kind(proto::LINES);
  plot.set_id(id);
  plot.set_title(absl::StrCat(what, " against batch size, ", group.Runs()));
  for (const std::string& letter : group.Named()) {
    plot.add_run(letter);
  }
  plot.set_x_label("images per batch");
  plot.set_y_label(y_label);
  plot.set_x_log(true);
  for (const auto& [sweep, label] : group.sweeps) {
    AddMarks(*sweep, label, plot);
  }
  return plot;
}

// Sets the description, which lists the marks for readers who cannot see them.
void Describe(const std::string& what, proto::Plot& plot) {
  std::vector<std::string> marks;
  for (const proto::Mark& mark : plot.mark()) {
    marks.push_back(mark.label());
  }
  plot.set_description(
      absl::StrCat(what, marks.empty() ? "" : absl::StrCat(" Marked: ", absl::StrJoin(marks, "; "), ".")));
}

proto::Plot TimePlot(const Group& group) {
  proto::Plot plot = MakePlot(group, "batch_sweep_time", "Time of an epoch", "seconds per epoch");
  plot.set_y_log(true);
  for (const auto& [sweep, label] : group.sweeps) {
    proto::Series& series = AddSeries(label, proto::MEASURED, plot);
    for (const proto::SweepPoint& point : sweep->points) {
      const MeanAndDeviation spread = MeanAndDeviationOf(point.epoch_seconds());
      if (point.outcome() == proto::COMPLETED && spread.mean > 0) {
        const double low =
            std::max(spread.mean - spread.standard_deviation, spread.mean / 10);  // a logarithmic axis has no 0
        AddPoint(point.batch_size(), spread.mean, low, spread.mean + spread.standard_deviation, series);
      }
    }
  }
  Describe(
      "Seconds per epoch, with data loading, a line per sweep with one sample standard deviation as its error bar.",
      plot);
  return plot;
}

proto::Plot RatePlot(const Group& group) {
  proto::Plot plot = MakePlot(group, "batch_sweep_rate", "Images per second", "images/s");
  for (const auto& [sweep, label] : group.sweeps) {
    proto::Series& series = AddSeries(label, proto::DERIVED, plot);
    for (const proto::SweepPoint& point : sweep->points) {
      const MeanAndDeviation spread = MeanAndDeviationOf(point.epoch_seconds());
      const auto images = static_cast<double>(point.images_per_epoch());
      if (point.outcome() == proto::COMPLETED && spread.mean > spread.standard_deviation) {
        AddPoint(point.batch_size(), images / spread.mean, images / (spread.mean + spread.standard_deviation),
                 images / (spread.mean - spread.standard_deviation), series);
      }
    }
  }
  Describe(
      "Images of an epoch / its mean time with data loading; error bars: one sample standard deviation of the time.",
      plot);
  return plot;
}

// Plots the share of each point's own ceiling, which was timed after the point in its process.
proto::Plot SharePlot(const Group& group) {
  proto::Plot plot = MakePlot(group, "batch_sweep_share", "Share of the matmul ceiling",
                              absl::StrCat(kPercent.name, " of the matmul ceiling"));
  bool above = false;
  for (const auto& [sweep, label] : group.sweeps) {
    proto::Series& series = AddSeries(label, proto::DERIVED, plot);
    for (const proto::SweepPoint& point : sweep->points) {
      const MeanAndDeviation step = MeanAndDeviationOf(point.step_seconds());
      const double ceiling = CeilingFlopPerSecond(point.matmul_ceiling());
      if (point.outcome() == proto::COMPLETED && step.mean > step.standard_deviation && ceiling > 0) {
        const double flop =
            static_cast<double>(point.images_per_epoch()) * TrainingFlopPerImage(sweep->spec.model()) / ceiling;
        AddPoint(point.batch_size(), kPercent.scale * flop / step.mean,
                 kPercent.scale * flop / (step.mean + step.standard_deviation),
                 kPercent.scale * flop / (step.mean - step.standard_deviation), series);
        above = above || flop > step.mean;
      }
    }
  }
  Describe(absl::StrCat("FLOP/s of training without data loading, in per cent of one large matrix product on the "
                        "device; error bars: one sample standard deviation of the time",
                        above ? absl::StrCat("; ", kAboveCeiling) : "", "."),
           plot);
  return plot;
}

proto::Plot MemoryPlot(const Group& group) {
  proto::Plot plot =
      MakePlot(group, "batch_sweep_memory", "Peak memory", absl::StrCat(kGigabytes.name, " (1e9 bytes)"));
  plot.set_y_log(true);
  for (const auto& [sweep, label] : group.sweeps) {
    proto::Series measured, predicted;
    for (const proto::SweepPoint& point : sweep->points) {
      const double peak = static_cast<double>(point.peak_memory_bytes()) / kGigabytes.size;
      const double foretold = static_cast<double>(point.predicted_memory_bytes()) / kGigabytes.size;
      if (point.outcome() == proto::COMPLETED && peak > 0) {
        AddPoint(point.batch_size(), peak, measured);
      }
      if (foretold > 0) {
        AddPoint(point.batch_size(), foretold, predicted);
      }
    }
    for (auto& [series, what, provenance] : {std::make_tuple(&measured, "measured", proto::MEASURED),
                                             std::make_tuple(&predicted, "predicted", proto::MODELLED)}) {
      if (!series->x().empty()) {
        series->set_label(absl::StrCat(label, ", ", what));
        series->set_provenance(provenance);
        plot.add_series()->Swap(series);
      }
    }
  }
  Describe("Peak memory: measured, a line per sweep, and predicted before the run, dashed.", plot);
  return plot;
}

}  // namespace

std::vector<proto::Plot> BatchSweepPlots(const LabRecords& lab) {
  std::vector<proto::Plot> plots;
  std::map<std::string, size_t> seen;
  const auto keep = [&](proto::Plot plot) {
    const size_t of_other_groups = seen[plot.id()]++;
    plot.set_id(PlotId(plot.id(), of_other_groups));
    const bool empty =
        std::all_of(plot.series().begin(), plot.series().end(), [](const auto& series) { return series.x().empty(); });
    if (!empty) {
      plots.push_back(std::move(plot));
    }
  };
  for (const Group& group : GroupsOf(lab)) {
    if (group.sweeps.size() > 1) {
      keep(TimePlot(group));
    }
    keep(RatePlot(group));
    keep(SharePlot(group));
    keep(MemoryPlot(group));
  }
  return plots;
}

}  // namespace lockstep
