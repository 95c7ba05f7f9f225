#include "lib/report/step_tables.h"

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/scaling/ablation_split.h"
#include "lib/scaling/negative_communication.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

bool HasSteps(const proto::ScalePoint& point) {
  return point.ranks() > 1 && point.reduction() == proto::ALL_REDUCE && point.outcome() == proto::COMPLETED &&
         point.has_step_figures();
}

std::vector<proto::Cell> Labels(const proto::ScalePoint& point) {
  return {LabelCell(absl::StrCat(point.ranks())), LabelCell(FormatCount(point.batch_per_device()))};
}

proto::Cell Microseconds(double seconds, proto::Provenance provenance = proto::MEASURED) {
  return NumberCell(seconds * kMicroseconds.scale, provenance, "");
}

proto::Cell ExposedMicroseconds(double seconds) {
  return seconds < 0 ? AbsentCell(BelowZeroText(seconds)) : Microseconds(seconds);
}

struct Figure {
  const char* name;
  const proto::StepSpread& (proto::StepFigures::*spread)() const;
};
constexpr Figure kFigures[] = {{"backward", &proto::StepFigures::backward_seconds},
                               {"exposed", &proto::StepFigures::exposed_seconds},
                               {"collectives busy", &proto::StepFigures::busy_seconds},
                               {"of that waiting", &proto::StepFigures::wait_seconds}};

void AddFigures(const proto::ScalePoint& point, proto::Table& table) {
  for (const Figure& figure : kFigures) {
    const proto::StepSpread& spread = (point.step_figures().*figure.spread)();
    std::vector<proto::Cell> cells = Labels(point);
    cells.push_back(LabelCell(figure.name));
    if (spread.count() == 0) {
      cells.insert(cells.end(), 8, AbsentCell(spread.absent_reason()));
    } else {
      cells.push_back(CountCell(spread.count(), proto::MEASURED, ""));
      cells.push_back(ExposedMicroseconds(spread.mean_seconds()));
      for (const double seconds : {spread.deviation_seconds(), spread.p50_seconds(), spread.p90_seconds(),
                                   spread.p99_seconds(), spread.max_seconds()}) {
        cells.push_back(Microseconds(seconds));
      }
      cells.push_back(CountCell(spread.negative_count(), proto::MEASURED, ""));
    }
    AddRow(table, cells);
  }
}

// Returns "timed epochs", "an instrumented epoch (1.008 times as long as a timed one)".
std::string SourceOf(const proto::StepFigures& figures) {
  return figures.perturbation() == 0 ? figures.source()
                                     : absl::StrCat(figures.source(), " (", FormatNumber(figures.perturbation()),
                                                    " times as long as a timed one)");
}

proto::Table SpreadTable(const ScalingView& view) {
  proto::Table table = MakeTable(absl::StrCat("Single steps, us: ", view.Title()),
                                 {"devices N", "batch per device B", "of a step", "steps", "mean", "deviation", "p50",
                                  "p90", "p99", "max", "steps below 0"});
  std::vector<std::string> sources;
  for (const proto::ScalePoint* const point : view.points) {
    if (HasSteps(*point)) {
      AddFigures(*point, table);
      sources.push_back(absl::StrCat("N = ", point->ranks(), ", B = ", point->batch_per_device(), ": ",
                                     SourceOf(point->step_figures())));
    }
  }
  table.add_note(
      "The largest value of any rank in each step; so the mean x steps exceeds the exposed time of an epoch, which is "
      "the largest sum of one rank. Percentiles by nearest rank.");
  table.add_note(absl::StrCat("Steps of ", absl::StrJoin(sources, "; "), "."));
  return table;
}

proto::Table AblationTable(const ScalingView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("Why a run without all-reduces saves more than the exposed time, us a step: ", view.Title()),
      {"devices N", "batch per device B", "saved by leaving out", "exposed, mean of the ranks", "backward longer",
       "of that on one device, too", "forward longer", "update longer", "rest"});
  for (const uint32_t ranks : view.Ranks()) {
    for (const uint32_t batch : view.Batches()) {
      const proto::ScalePoint* const reduced = view.Point(ranks, batch, proto::ALL_REDUCE);
      const proto::ScalePoint* const ablated = view.Point(ranks, batch, proto::ABLATED);
      if (reduced == nullptr || ablated == nullptr || !HasSteps(*reduced)) {
        continue;
      }
      const proto::ScalePoint* const alone =
          view.global_batch() ? nullptr : view.Point(1, batch, proto::ALL_REDUCE);  // same batch per device
      const absl::StatusOr<AblationSplit> split = SplitAblation(*reduced, *ablated, alone);
      std::vector<proto::Cell> cells = Labels(*reduced);
      if (split.ok()) {
        cells.push_back(Microseconds(split->ablation_seconds, proto::DERIVED));
        cells.push_back(ExposedMicroseconds(split->exposed_seconds));
        cells.push_back(Microseconds(split->contention_seconds, proto::DERIVED));
        cells.push_back(split->alone_seconds.has_value() ? Microseconds(*split->alone_seconds, proto::DERIVED)
                                                         : AbsentCell("not run through the reducer on one device"));
        for (const double seconds : {split->forward_seconds, split->update_seconds, split->rest_seconds}) {
          cells.push_back(Microseconds(seconds, proto::DERIVED));
        }
      } else {
        cells.insert(cells.end(), 7, AbsentCell(split.status().message()));
      }
      AddRow(table, cells);
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point was run without all-reduces");
  }
  table.add_note("Means over steps and ranks; the rest is what no other part includes.");
  return table;
}

// Returns a reading of NVML; blank on a CPU.
proto::Cell Reading(const proto::DeviceWatch& watch, double value) {
  return watch.readings() == 0 ? AbsentCell(watch.absent_reason()) : NumberCell(value, proto::MEASURED, "");
}

proto::Table RanksTable(const ScalingView& view) {
  proto::Table table =
      MakeTable(absl::StrCat("Rank that the others waited for: ", view.Title()),
                {"devices N", "batch per device B", "rank", "came last, steps", "waited, us a step",
                 "backward, us a step", "median SM clock, MHz", "median power, W", "throttled, readings"});
  for (const proto::ScalePoint* const point : view.points) {
    if (!HasSteps(*point)) {
      continue;
    }
    for (const proto::RankFacts& rank : point->rank()) {
      const proto::DeviceWatch& watch = rank.device_watch();
      uint32_t throttled = 0;
      for (const proto::ThrottleCount& throttle : watch.throttle()) {
        throttled = std::max(throttled, throttle.readings());
      }
      std::vector<proto::Cell> cells = Labels(*point);
      for (const proto::Cell& cell :
           {LabelCell(absl::StrCat(rank.rank(), rank.host().empty() ? "" : absl::StrCat(" on ", rank.host()))),
            CountCell(rank.last_count(), proto::MEASURED, ""), Microseconds(rank.step_means().wait_seconds()),
            Microseconds(rank.step_means().backward_seconds()), Reading(watch, watch.median_sm_clock_mhz()),
            Reading(watch, watch.median_power_watts()), Reading(watch, throttled)}) {
        cells.push_back(cell);
      }
      AddRow(table, cells);
    }
  }
  table.add_note(
      "A rank came last in a step if it waited least for the others. Throttled: readings with the most frequent "
      "reason.");
  return table;
}

}  // namespace

std::vector<proto::Table> StepTables(const ScalingView& view) {
  const bool any = std::any_of(view.points.begin(), view.points.end(),
                               [](const proto::ScalePoint* point) { return HasSteps(*point); });
  return any ? std::vector<proto::Table>{SpreadTable(view), AblationTable(view), RanksTable(view)}
             : std::vector<proto::Table>();
}

}  // namespace lockstep
