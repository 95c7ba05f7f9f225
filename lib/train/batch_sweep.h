// Batch sweep: the batch sizes that a sweep tries, their order, and the reason why it ends. Does not depend on
// LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_BATCH_SWEEP_H_
#define LOCKSTEP_LIB_TRAIN_BATCH_SWEEP_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

struct BatchSweepOptions {
  uint32_t min_batch = 32;  // the lab's first batch size
  uint32_t factor = 4;      // the lab's factor
  uint32_t max_batch = 0;   // largest batch that may be tried; 0: no limit but memory and the data set
};

// Planned batch sweep.
struct BatchSweep {
  std::vector<uint32_t> batch_sizes;  // batches to run, none larger than the training set
  uint32_t exceeding = 0;             // first planned batch above the training set's size; 0: there is none
  uint64_t training_images = 0;
  bool by_hand = false;  // batch_sizes were given one by one (--batch_size)
};

// Returns the batches min_batch, min_batch * factor, ... Returns InvalidArgumentError if min_batch is 0, the factor is
// below 2, or max_batch is below min_batch.
absl::StatusOr<BatchSweep> PlanBatchSweep(const BatchSweepOptions& options, uint64_t training_images);

// Returns a plan of exactly these batches. Returns InvalidArgumentError if a batch is 0, given twice, or larger than
// the training set: such a batch is never timed as if it were real.
absl::StatusOr<BatchSweep> PlanByHand(const std::vector<uint32_t>& batches, uint64_t training_images);

// Tries one batch and returns its outcome. An error ends the sweep at once and is passed on.
using TryBatch = std::function<absl::StatusOr<proto::SweepPoint>(uint32_t batch_size)>;
// Receives every point, in order, as soon as it is known.
using KeepPoint = std::function<absl::Status(const proto::SweepPoint&)>;

// Runs the batch sweep. It ends at the first batch that does not complete, since a larger batch would not fit either.
// Batches that were given one by one are all tried. A batch that exceeds the data set is kept as a point that was not
// run.
absl::StatusOr<proto::SweepEnd> RunBatchSweep(const BatchSweep& sweep, const TryBatch& try_batch,
                                              const KeepPoint& keep);

// Known bounds of the largest batch that fits.
struct BatchBounds {
  uint32_t fits = 0;   // largest batch that was tried and fits; 0: none
  uint32_t fails = 0;  // smallest batch that was tried and does not fit; 0: none
};

// Returns whether a batch fits: COMPLETED, OUT_OF_MEMORY or KILLED. The probe must report any other outcome as an
// error.
using ProbeBatch = std::function<absl::StatusOr<proto::Outcome>(uint32_t batch_size)>;

// Searches for the largest batch that fits, up to `limit`, by bisection from the known bounds. A batch is assumed to
// fit if a larger one does. In the result, fails = fits + 1, or fits = limit and fails is unknown.
//
// If `guess` is not 0, it is tried first, then batches next to it in steps that double until one batch fits and one
// does not. Without a guess, and if no batch is known to fail, the limit is tried first.
absl::StatusOr<BatchBounds> FindLargestBatch(BatchBounds known, uint32_t limit, uint32_t guess,
                                             const ProbeBatch& probe);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_BATCH_SWEEP_H_
