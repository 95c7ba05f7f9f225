#include "lib/lab_records/answer_rows.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

size_t RepeatedPoints(const LabSweep& sweep) {
  const std::vector<const proto::SweepPoint*> points = CompletedPoints(sweep);
  return static_cast<size_t>(std::count_if(points.begin(), points.end(), [](const proto::SweepPoint* point) {
    return point->step_seconds().value_size() > 1;
  }));
}

// Returns the shortest mean epoch on `ranks` devices; infinity if none was timed.
double ShortestEpoch(const ScalingView& view, uint32_t ranks) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const proto::ScalePoint* point : view.points) {
    const bool trains = point->reduction() == proto::ALL_REDUCE || point->reduction() == proto::STAR;
    if (trains && point->ranks() == ranks && !point->epoch_seconds().value().empty()) {
      shortest = std::min(shortest, Mean(point->epoch_seconds().value()));
    }
  }
  return shortest;
}

// Returns true if the view has rows of several devices that are not on virtual hosts.
bool HasPlainRows(const ScalingView& view) {
  return !view.virtual_hosts() &&
         std::any_of(view.rows.begin(), view.rows.end(), [](const proto::ScalingRow* row) { return row->ranks() > 1; });
}

}  // namespace

std::vector<const proto::SweepPoint*> CompletedPoints(const LabSweep& sweep) {
  std::vector<const proto::SweepPoint*> points;
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() == proto::COMPLETED && !point.step_seconds().value().empty()) {
      points.push_back(&point);
    }
  }
  return points;
}

const LabSweep* LongestSweep(const LabRecords& lab) {
  const LabSweep* longest = nullptr;
  for (const LabSweep& sweep : lab.sweeps) {
    const size_t completed = CompletedPoints(sweep).size();
    if (completed > (longest == nullptr ? 0 : CompletedPoints(*longest).size())) {
      longest = &sweep;
    }
  }
  return longest;
}

const LabSweep* RepeatedSweep(const LabRecords& lab) {
  const LabSweep* best = LongestSweep(lab);
  for (const LabSweep& sweep : lab.sweeps) {
    if (best != nullptr && RepeatedPoints(sweep) > RepeatedPoints(*best)) {
      best = &sweep;
    }
  }
  return best;
}

const ScalingView* MainScalingView(const std::vector<ScalingView>& views) {
  const ScalingView* best = nullptr;
  std::tuple<bool, bool, bool, uint32_t, double> best_key;
  for (const ScalingView& view : views) {
    const std::vector<uint32_t> ranks = view.Ranks();
    if (ranks.empty() || ranks.back() < 2) {
      continue;
    }
    const std::tuple<bool, bool, bool, uint32_t, double> key = {!view.virtual_hosts(), !view.rows.empty(),
                                                                !view.data_parallel(), ranks.back(),
                                                                -ShortestEpoch(view, ranks.back())};
    if (best == nullptr || key > best_key) {
      best = &view;
      best_key = key;
    }
  }
  return best;
}

std::vector<WayRows> RowsOfMaxDevices(const LabRecords& lab) {
  std::vector<WayRows> ways;
  const std::vector<ScalingView> views = ScalingViews(lab);
  const bool has_plain = std::any_of(views.begin(), views.end(), HasPlainRows);
  for (const bool data_parallel : {false, true}) {
    for (const ScalingView& view : views) {
      if (has_plain && view.virtual_hosts()) {
        continue;
      }
      uint32_t max_ranks = 2;
      for (const proto::ScalingRow* row : view.rows) {
        max_ranks = std::max(max_ranks, row->ranks());
      }
      WayRows way = {absl::StrCat(SettingsText(view.settings), view.virtual_hosts() ? ", on virtual hosts" : ""), {}};
      std::copy_if(view.rows.begin(), view.rows.end(), std::back_inserter(way.rows),
                   [&](const proto::ScalingRow* row) { return row->ranks() == max_ranks; });
      if (view.data_parallel() == data_parallel && !way.rows.empty()) {
        ways.push_back(std::move(way));
      }
    }
  }
  return ways;
}

}  // namespace lockstep
