#include "lib/lab_records/answer_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/lab_records/scaling_view.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {

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

std::vector<WayRows> RowsOfMaxDevices(const LabRecords& lab) {
  std::vector<WayRows> ways;
  for (const bool data_parallel : {false, true}) {
    for (const ScalingView& view : ScalingViews(lab)) {
      uint32_t max_ranks = 2;
      for (const proto::ScalingRow* row : view.rows) {
        max_ranks = std::max(max_ranks, row->ranks());
      }
      WayRows way = {SettingsText(view.settings), {}};
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
