#include "lib/train/batch_sweep.h"

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

proto::EndReason ReasonOf(proto::Outcome outcome) {
  switch (outcome) {
    case proto::OUT_OF_MEMORY:
      return proto::END_OUT_OF_MEMORY;
    case proto::KILLED:
      return proto::END_KILLED;
    default:
      return proto::END_FAILED;
  }
}

proto::SweepPoint ExceedingPoint(const BatchSweep& sweep) {
  proto::SweepPoint point;
  point.set_batch_size(sweep.exceeding);
  point.set_outcome(proto::EXCEEDS_DATASET);
  point.set_detail(absl::StrCat("the training set has ", sweep.training_images, " images"));
  return point;
}

// First step from a guess is 1/256 of the guess (0.4 %): half of a prediction's error against the peak at batch 512.
constexpr uint32_t kFirstStepShare = 256;

bool IsFound(const BatchBounds& known, uint32_t limit) {
  return known.fits >= limit || (known.fails != 0 && known.fails - known.fits <= 1);
}

}  // namespace

absl::StatusOr<BatchSweep> PlanBatchSweep(const BatchSweepOptions& options, uint64_t training_images) {
  if (options.min_batch == 0 || options.factor < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a first batch of at least 1 and a factor of at least 2, found --min_batch=", options.min_batch,
        " --factor=", options.factor));
  }
  if (options.max_batch != 0 && options.max_batch < options.min_batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max_batch=", options.max_batch, " is below --min_batch=", options.min_batch));
  }
  const uint64_t max = options.max_batch != 0 ? options.max_batch : std::numeric_limits<uint32_t>::max();
  BatchSweep sweep;
  sweep.training_images = training_images;
  for (uint64_t batch = options.min_batch; batch <= max; batch *= options.factor) {
    if (batch > training_images) {
      sweep.exceeding = static_cast<uint32_t>(batch);
      break;
    }
    sweep.batch_sizes.push_back(static_cast<uint32_t>(batch));
  }
  return sweep;
}

absl::StatusOr<BatchSweep> PlanByHand(const std::vector<uint32_t>& batches, uint64_t training_images) {
  std::set<uint32_t> seen;
  for (const uint32_t batch : batches) {
    if (batch == 0 || !seen.insert(batch).second) {
      return absl::InvalidArgumentError(absl::StrCat("--batch_size: expected different sizes of at least 1, found ",
                                                     batch, batch == 0 ? "" : " twice"));
    }
    if (batch > training_images) {
      return absl::InvalidArgumentError(absl::StrCat("--batch_size=", batch, " is larger than the training set of ",
                                                     training_images, " images; give a smaller batch"));
    }
  }
  return BatchSweep{.batch_sizes = batches, .training_images = training_images, .by_hand = true};
}

absl::StatusOr<BatchBounds> FindLargestBatch(BatchBounds known, uint32_t limit, uint32_t guess,
                                             const ProbeBatch& probe) {
  if (known.fails <= known.fits) {
    known.fails = 0;  // killed for another reason than its size
  }
  bool one_fitted = false, one_failed = false;  // outcomes of the batches tried here
  for (uint64_t step = guess / kFirstStepShare + 1; !IsFound(known, limit);) {
    const uint64_t max_batch = known.fails == 0 ? limit : std::min(limit, known.fails - 1);
    uint64_t next = known.fails == 0 ? limit : known.fits + (known.fails - known.fits) / 2;
    if (guess != 0 && !(one_fitted && one_failed)) {
      next = one_fitted ? known.fits + step : one_failed ? known.fails - std::min<uint64_t>(step, known.fails) : guess;
      step *= one_fitted || one_failed ? 2 : 1;
    }
    next = std::min(std::max<uint64_t>(next, uint64_t{known.fits} + 1), max_batch);
    ASSIGN_OR_RETURN(const proto::Outcome outcome, probe(static_cast<uint32_t>(next)));
    const bool fits = outcome == proto::COMPLETED;
    (fits ? known.fits : known.fails) = static_cast<uint32_t>(next);
    (fits ? one_fitted : one_failed) = true;
  }
  return known;
}

absl::StatusOr<proto::SweepEnd> RunBatchSweep(const BatchSweep& sweep, const TryBatch& try_batch,
                                              const KeepPoint& keep) {
  proto::SweepEnd end;
  for (const uint32_t batch : sweep.batch_sizes) {
    ASSIGN_OR_RETURN(const proto::SweepPoint point, try_batch(batch));
    RETURN_IF_ERROR(keep(point));
    if (point.outcome() == proto::COMPLETED) {
      end.set_largest_completed_batch(std::max(end.largest_completed_batch(), batch));
    } else if (!sweep.by_hand) {
      end.set_reason(ReasonOf(point.outcome()));
      end.set_detail(absl::StrCat("batch ", batch, ": ", point.detail()));
      return end;
    }
  }
  if (sweep.exceeding != 0) {
    RETURN_IF_ERROR(keep(ExceedingPoint(sweep)));
    end.set_reason(proto::END_EXCEEDS_DATASET);
    end.set_detail(absl::StrCat("batch ", sweep.exceeding, ": ", ExceedingPoint(sweep).detail()));
    return end;
  }
  end.set_reason(proto::END_MAX_BATCH);
  end.set_detail(sweep.by_hand ? "all batches of --batch_size were tried" : "--max_batch was reached");
  return end;
}

}  // namespace lockstep
