#include "lib/scale_run/merge_ranks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/record/value_ranges.h"
#include "lib/scale_run/step_figures.h"
#include "lib/train/noise.h"

namespace lockstep {
namespace {

// Returns the largest value of each sample over the ranks. An absent sample stays that of rank 0.
proto::Samples Largest(const std::vector<proto::ScalePoint>& points,
                       const proto::Samples& (proto::ScalePoint::*samples)() const) {
  proto::Samples largest = (points[0].*samples)();
  for (const proto::ScalePoint& point : points) {
    const proto::Samples& other = (point.*samples)();
    for (int i = 0; i < largest.value_size(); ++i) {
      largest.set_value(i, std::max(largest.value(i), other.value(i)));
    }
  }
  return largest;
}

// Checks that every measured value is one that a record may hold, and that each rank's RankFacts are its own.
absl::Status CheckValues(const std::vector<proto::ScalePoint>& points) {
  for (size_t rank = 0; rank < points.size(); ++rank) {
    proto::ScaleRecord record;
    *record.mutable_point() = points[rank];
    const absl::Status status = ValueRanges().Check(record);
    if (!status.ok()) {
      return absl::InternalError(
          absl::StrCat("rank ", rank, " of ", points.size(), ": ", status.message(), "; this is a fault of that rank"));
    }
    if (points[rank].rank_size() != 1 || points[rank].rank(0).rank() != rank) {
      return absl::InternalError(absl::StrCat("expected the measurements of rank ", rank,
                                              ", found those of another rank; this is a fault of that rank"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAlike(const std::vector<proto::ScalePoint>& points) {
  if (points.empty()) {
    return absl::InternalError("no rank returned a result of the point");
  }
  if (points[0].epoch_seconds().value().empty() && !points[0].target().reached()) {
    return absl::InternalError("the result of the point has no timed epoch");
  }
  for (size_t rank = 0; rank < points.size(); ++rank) {
    const proto::ScalePoint& point = points[rank];
    if (point.epoch_seconds().value_size() != points[0].epoch_seconds().value_size() ||
        point.collective_busy_seconds().value_size() != points[0].collective_busy_seconds().value_size() ||
        point.epoch_size() != points[0].epoch_size() || point.steps_per_epoch() != points[0].steps_per_epoch() ||
        point.probe().seconds().value_size() != points[0].probe().seconds().value_size()) {
      return absl::InternalError(absl::StrCat("rank ", rank, " measured other epochs or steps than rank 0"));
    }
  }
  return absl::OkStatus();
}

proto::Samples ProbeSeconds(const std::vector<proto::ScalePoint>& points) {
  proto::Samples seconds = points[0].probe().seconds();
  for (const proto::ScalePoint& point : points) {
    for (int i = 0; i < seconds.value_size(); ++i) {
      seconds.set_value(i, std::max(seconds.value(i), point.probe().seconds().value(i)));
    }
  }
  return seconds;
}

// Returns the rank's neighbours without the other ranks of its host.
proto::Neighbours StrangersOf(const proto::RankFacts& rank, const proto::ScalePoint& point) {
  proto::Neighbours strangers = rank.neighbours();
  for (const proto::RankFacts& other : point.rank()) {
    if (other.rank() != rank.rank() && other.host() == rank.host()) {
      strangers.set_others_cpu_seconds(
          std::max(0.0, strangers.others_cpu_seconds() - other.neighbours().own_cpu_seconds()));
    }
  }
  return strangers;
}

// Adds the warnings from the slowest rank's epochs, each rank's neighbours and its GPU.
void AddNoiseWarnings(proto::ScalePoint& point) {
  for (std::string& warning : NoiseWarnings(point.epoch_seconds(), proto::Neighbours(), proto::DeviceWatch())) {
    point.add_noise_warning(std::move(warning));
  }
  for (const proto::RankFacts& rank : point.rank()) {
    for (const std::string& warning : NoiseWarnings(proto::Samples(), StrangersOf(rank, point), rank.device_watch())) {
      point.add_noise_warning(absl::StrCat("rank ", rank.rank(), ": ", warning));
    }
  }
}

}  // namespace

absl::StatusOr<proto::ScalePoint> MergeRanks(const std::vector<proto::ScalePoint>& points) {
  RETURN_IF_ERROR(CheckValues(points));
  RETURN_IF_ERROR(CheckAlike(points));
  proto::ScalePoint merged = points[0];
  merged.clear_rank();
  merged.set_images_per_epoch(0);
  merged.set_padded_images(0);
  for (const proto::ScalePoint& point : points) {
    merged.set_images_per_epoch(merged.images_per_epoch() + point.images_per_epoch());
    merged.set_padded_images(merged.padded_images() + point.padded_images());
    merged.mutable_rank()->MergeFrom(point.rank());
  }
  *merged.mutable_epoch_seconds() = Largest(points, &proto::ScalePoint::epoch_seconds);
  *merged.mutable_step_seconds() = Largest(points, &proto::ScalePoint::step_seconds);
  *merged.mutable_data_wait_seconds() = Largest(points, &proto::ScalePoint::data_wait_seconds);
  *merged.mutable_exposed_seconds() = Largest(points, &proto::ScalePoint::exposed_seconds);
  *merged.mutable_collective_busy_seconds() = Largest(points, &proto::ScalePoint::collective_busy_seconds);
  RETURN_IF_ERROR(MergeSteps(points, merged));
  if (merged.has_probe()) {
    *merged.mutable_probe()->mutable_seconds() = ProbeSeconds(points);
  }
  AddNoiseWarnings(merged);
  return merged;
}

}  // namespace lockstep
