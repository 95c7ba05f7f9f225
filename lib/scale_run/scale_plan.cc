#include "lib/scale_run/scale_plan.h"

#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/sampler.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

template <typename Numbers>
absl::Status CheckNumbers(const char* flag, const Numbers& numbers) {
  if (numbers.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, " is empty; an example is --", flag, "=1,2"));
  }
  std::set<uint32_t> seen;
  for (const uint32_t number : numbers) {
    if (number == 0 || !seen.insert(number).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, " holds ", number, number == 0 ? "; expected 1 or more" : " twice"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> BatchPerDevice(proto::BatchMode mode, uint32_t ranks, uint32_t batch) {
  if (mode == proto::PER_DEVICE) {
    return batch;
  }
  if (mode == proto::GLOBAL && batch % ranks == 0) {
    return batch / ranks;
  }
  if (mode == proto::GLOBAL) {
    return absl::InvalidArgumentError(absl::StrCat("a global batch of ", batch, " does not divide among ", ranks,
                                                   " ranks; give a multiple of ", ranks));
  }
  return absl::InvalidArgumentError("the batch mode is not set; expected per_device or global");
}

// Plans a point of mode DP, in which one process divides each batch, so that there are no shards.
absl::StatusOr<proto::ScalePoint> PlanStar(const proto::ScaleSpec& spec, uint64_t images, proto::ScalePoint point) {
  const DropLast drop_last = ToDropLast(spec.training().drop_last());
  if (point.global_batch() > images) {
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", point.batch_per_device(), " on each of ",
                                                   point.ranks(), " devices is larger than the data set of ", images,
                                                   " images; give a smaller --batch_size"));
  }
  const uint64_t steps = StepsPerEpoch(images, point.global_batch(), drop_last);
  point.set_steps_per_epoch(static_cast<uint32_t>(steps));
  point.set_images_per_epoch(drop_last == DropLast::kYes ? steps * point.global_batch() : images);
  return point;
}

absl::StatusOr<proto::ScalePoint> PlanPoint(const proto::ScaleSpec& spec, uint64_t images, uint32_t ranks,
                                            uint32_t asked_batch) {
  ASSIGN_OR_RETURN(const uint32_t batch, BatchPerDevice(spec.batch_mode(), ranks, asked_batch));
  proto::ScalePoint point;
  point.set_mode(spec.mode());
  point.set_preset(spec.preset());
  point.set_gradient_compression(spec.gradient_compression());
  point.set_buffers(spec.buffers());
  point.set_reducer(spec.reducer());
  point.set_bucket_plan(spec.bucket_plan());
  point.set_step(spec.training().step());
  point.set_ranks(ranks);
  point.set_batch_per_device(batch);
  point.set_global_batch(ranks * batch);
  if (spec.mode() == proto::DP) {
    return PlanStar(spec, images, point);
  }
  const DropLast drop_last = ToDropLast(spec.training().drop_last());
  const uint64_t shard = ShardSize(images, ranks, drop_last);
  if (batch > shard) {
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", batch,
                                                   " per device is larger than a rank's share of ", shard, " images (",
                                                   images, " images, ", ranks, " ranks); give a smaller --batch_size"));
  }
  const uint32_t parts = spec.training().accumulate();
  if (parts > 1 && batch % parts != 0) {
    return absl::InvalidArgumentError(absl::StrCat("--accumulate=", parts, ": a batch of ", batch,
                                                   " per device cannot be divided into so many equal micro-batches"));
  }
  const uint64_t steps = StepsPerEpoch(shard, batch, drop_last);
  point.set_steps_per_epoch(static_cast<uint32_t>(steps));
  point.set_images_per_epoch(ranks * (drop_last == DropLast::kYes ? steps * batch : shard));
  point.set_padded_images(drop_last == DropLast::kYes ? 0 : ranks * shard - images);
  return point;
}

std::vector<proto::Reduction> ReductionsOf(const proto::ScaleSpec& spec, uint32_t ranks) {
  if (spec.mode() == proto::DP) {
    return ranks == 1 ? std::vector<proto::Reduction>{proto::PLAIN, proto::STAR}
                      : std::vector<proto::Reduction>{proto::STAR};
  }
  if (ranks == 1) {
    return {proto::PLAIN, proto::ALL_REDUCE};
  }
  return spec.ablation() ? std::vector<proto::Reduction>{proto::ALL_REDUCE, proto::ABLATED}
                         : std::vector<proto::Reduction>{proto::ALL_REDUCE};
}

}  // namespace

absl::StatusOr<std::vector<proto::ScalePoint>> PlanPoints(const proto::ScaleSpec& spec, uint64_t training_images) {
  RETURN_IF_ERROR(CheckNumbers("ranks", spec.ranks()));
  RETURN_IF_ERROR(CheckNumbers("batch_size", spec.batch_size()));
  std::vector<proto::ScalePoint> points;
  for (const uint32_t batch : spec.batch_size()) {
    for (const uint32_t ranks : spec.ranks()) {
      ASSIGN_OR_RETURN(proto::ScalePoint point, PlanPoint(spec, training_images, ranks, batch));
      for (const proto::Reduction reduction : ReductionsOf(spec, ranks)) {
        point.set_reduction(reduction);
        points.push_back(point);
      }
    }
  }
  return points;
}

uint32_t ThreadsPerRank(uint32_t cores, uint32_t max_ranks) {
  return std::max<uint32_t>(1, cores / std::max<uint32_t>(1, max_ranks));
}

}  // namespace lockstep
