// Which batch sizes a sweep tries, in which order, and why it ends. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_LADDER_H_
#define LOCKSTEP_LIB_TRAIN_LADDER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

struct LadderOptions {
  uint32_t min_batch = 32;  // the lab's first
  uint32_t factor = 4;      // the lab's
  uint32_t max_batch = 0;   // the last that may be tried; 0: until the batch no longer fits or exceeds the data set
};

// The plan.
struct Ladder {
  std::vector<uint32_t> batch_sizes;  // to be run, none larger than the training set
  uint32_t exceeding = 0;             // the rung after them, when it is larger than the training set; 0: it is not
  uint64_t training_images = 0;
  bool by_hand = false;  // batch_sizes were given one by one
};

// min_batch, times factor, ... InvalidArgument: a factor below 2, or max_batch below min_batch.
absl::StatusOr<Ladder> PlanLadder(const LadderOptions& options, uint64_t training_images);

// Exactly these batches. InvalidArgument: one of 0 or given twice, or larger than the training set, which is never
// timed as if it were real.
absl::StatusOr<Ladder> PlanByHand(const std::vector<uint32_t>& batches, uint64_t training_images);

// Tries one batch and says what became of it; an error ends the climb at once and is passed on.
using TryBatch = std::function<absl::StatusOr<proto::SweepPoint>(uint32_t batch_size)>;
// Takes every point, in order, as it is there.
using KeepPoint = std::function<absl::Status(const proto::SweepPoint&)>;

// Climbs: a ladder ends at its first rung that did not complete, since a larger batch would not fit either; batches given
// by hand are all tried. A rung that exceeds the data set is kept as a point that was not run.
absl::StatusOr<proto::SweepEnd> ClimbLadder(const Ladder& ladder, const TryBatch& try_batch, const KeepPoint& keep);

// What is known of the largest batch that fits.
struct BatchBounds {
  uint32_t fits = 0;   // the largest that was tried and fits; 0: none
  uint32_t fails = 0;  // the smallest that was tried and does not; 0: none
};

// Says whether a batch fits: COMPLETED, OUT_OF_MEMORY or KILLED. Another outcome is an error of the probe's own.
using ProbeBatch = std::function<absl::StatusOr<proto::Outcome>(uint32_t batch_size)>;

// Bisection, up to `limit`, from what is known; a batch is taken to fit when a larger one does. At the end fails = fits + 1,
// or fits = limit and fails is unknown. A guess, if there is one, is tried first, then what lies beside it in steps that double
// until the answer is between two tries. Without one, when nothing is known to fail, the limit itself is tried first.
absl::StatusOr<BatchBounds> FindLargestBatch(BatchBounds known, uint32_t limit, uint32_t guess,
                                             const ProbeBatch& probe);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_LADDER_H_
