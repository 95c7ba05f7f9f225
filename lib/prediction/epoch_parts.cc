#include "lib/prediction/epoch_parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/nccl_model.h"

namespace lockstep {
namespace {

double StepsOf(const ScalingTimes& times, uint64_t images, uint32_t batch) {
  return static_cast<double>(images / batch + (times.tail == Tail::kDropped || images % batch == 0 ? 0 : 1));
}

// Scales the times at which gradients become ready by the ratio of the step times: `slower` is that of another batch.
std::vector<BucketLoad> BucketsOf(const ScalingTime& anchor, double slower) {
  std::vector<BucketLoad> buckets = anchor.buckets;
  for (BucketLoad& bucket : buckets) {
    bucket.ready_seconds *= slower;
  }
  return buckets;
}

}  // namespace

// The errors of the buckets' times come from one fit, so they have the same sign. Hence the uncertainty is the change
// if all times move by one standard deviation. If all buckets but the last are hidden, only the last one's time
// matters.
Estimate ExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower) {
  const std::vector<BucketLoad> buckets = BucketsOf(*basis.anchor, slower);
  if (ranks <= 1 || buckets.empty()) {
    return Known(0);
  }
  const absl::StatusOr<Estimate> last = basis.all_reduce->Seconds(ranks, buckets.back().size_bytes);
  if (!last.ok()) {
    return Known(0);
  }
  const auto exposed_at = [&](double deviations) {
    return ExposedBySchedule(buckets, [&](double bytes) {
      const absl::StatusOr<Estimate> measured = basis.all_reduce->Seconds(ranks, bytes);
      const Estimate seconds = measured.ok() ? *measured : (bytes / buckets.back().size_bytes) * *last;
      return seconds.value + deviations * std::sqrt(seconds.variance);
    });
  };
  Estimate exposed = *last;
  exposed.value = exposed_at(0);
  if (last->variance > 0) {
    const double moved = exposed_at(1) - exposed.value;
    const double wider = moved * moved / last->variance;
    exposed.variance *= wider;
    exposed.variance_squared_over_freedom *= wider * wider;
  }
  return exposed;
}

absl::StatusOr<double> NcclExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower) {
  const std::vector<BucketLoad> buckets = BucketsOf(*basis.anchor, slower);
  if (buckets.empty()) {
    return absl::NotFoundError("no buckets were measured");
  }
  absl::Status status;
  const double exposed = ExposedBySchedule(buckets, [&](double bytes) {
    const absl::StatusOr<double> seconds = NcclOneNodeSeconds(ranks, static_cast<uint64_t>(bytes));
    if (!seconds.ok()) {
      status = absl::NotFoundError(absl::StrCat("NCCL's static model has no all-reduce of ", ranks, " ranks"));
      return 0.0;
    }
    return *seconds;
  });
  RETURN_IF_ERROR(status);
  return exposed;
}

absl::StatusOr<double> SlowerThanAnchor(const PartsBasis& basis, uint32_t batch) {
  if (batch == basis.anchor->batch) {
    return 1.0;
  }
  ASSIGN_OR_RETURN(const Estimate step, basis.curve->StepSeconds(batch));
  ASSIGN_OR_RETURN(const Estimate anchor_step, basis.curve->StepSeconds(basis.anchor->batch));
  return step.value / anchor_step.value;
}

const ScalingTime* FindAnchor(const ScalingTimes& times, uint32_t max_ranks, uint32_t batch) {
  const auto order = [&](const ScalingTime& time) {
    const double distance = std::abs(std::log(static_cast<double>(time.batch) / batch));
    const bool shows_nothing_of_several = max_ranks > 1 && time.ranks == 1;
    return std::make_tuple(shows_nothing_of_several, time.batch != batch, -static_cast<int64_t>(time.ranks), distance);
  };
  const ScalingTime* anchor = nullptr;
  for (const ScalingTime& time : times.times) {
    if (time.ranks <= max_ranks && (anchor == nullptr || order(time) < order(*anchor))) {
      anchor = &time;
    }
  }
  return anchor;
}

const ScalingTime* FindTime(const ScalingTimes& times, uint32_t ranks, uint32_t batch) {
  const auto found = std::find_if(times.times.begin(), times.times.end(),
                                  [&](const ScalingTime& time) { return time.ranks == ranks && time.batch == batch; });
  return found == times.times.end() ? nullptr : &*found;
}

std::optional<Estimate> ReducerPerStep(const ScalingTimes& times, uint32_t batch) {
  const ScalingTime* const single = FindTime(times, 1, batch);
  if (single == nullptr || !single->reducer_seconds.has_value()) {
    return std::nullopt;
  }
  return (1 / StepsOf(times, single->images_per_rank, batch)) * *single->reducer_seconds;
}

uint64_t ImagesPerRank(const ScalingTimes& times, uint32_t ranks) {
  return times.tail == Tail::kDropped ? times.training_images / ranks : (times.training_images + ranks - 1) / ranks;
}

absl::StatusOr<EpochParts> ModelParts(const PartsBasis& basis, uint32_t ranks, uint64_t images, uint32_t batch) {
  EpochParts parts;
  parts.steps = StepsOf(*basis.times, images, batch);
  ASSIGN_OR_RETURN(parts.compute, basis.curve->EpochSeconds(images, batch));
  ASSIGN_OR_RETURN(const Estimate tail, basis.curve->TailSeconds(images, batch));
  parts.tail_variance = tail.variance;
  if (ranks > 1 && basis.reducer_per_step.has_value()) {
    parts.reducer = parts.steps * *basis.reducer_per_step;
  }
  ASSIGN_OR_RETURN(const double slower, SlowerThanAnchor(basis, batch));
  parts.exposed = parts.steps * ExposedPerStep(basis, ranks, slower);
  return parts;
}

absl::StatusOr<EpochParts> AnchorParts(const PartsBasis& basis) {
  const ScalingTime& anchor = *basis.anchor;
  ASSIGN_OR_RETURN(EpochParts parts, ModelParts(basis, anchor.ranks, anchor.images_per_rank, anchor.batch));
  if (anchor.ranks > 1) {
    const Estimate beyond = anchor.step_seconds - (parts.compute + parts.reducer + parts.exposed);
    const double straggler = std::clamp(anchor.wait_seconds.value_or(0) / 2, 0.0, std::max(beyond.value, 0.0));
    parts.straggler = Known(straggler);
    parts.rest = beyond - parts.straggler;
  }
  return parts;
}

}  // namespace lockstep
