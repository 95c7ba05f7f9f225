// What an epoch's steps on several devices are made of, and how much of it a run of fewer has shown.
//
// The anchor is the run that a prediction starts from: one of several devices before one of a single one, of the batch
// asked for before others, of the most devices before fewer, of the nearest batch. What it took beyond the model of one
// device and a link is split into stragglers and a rest.
#ifndef LOCKSTEP_LIB_PREDICTION_EPOCH_PARTS_H_
#define LOCKSTEP_LIB_PREDICTION_EPOCH_PARTS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/scaling_times.h"
#include "lib/prediction/step_curve.h"

namespace lockstep {

// All that the parts are made from. What it points to outlives it.
struct PartsBasis {
  const ScalingTimes* times;
  const StepCurve* curve;
  const AllReduceTime* all_reduce;
  const ScalingTime* anchor;
  std::optional<Estimate> reducer_per_step;  // nothing: not measured
};

// The steps of one epoch, part by part; seconds of the epoch.
struct EpochParts {
  double steps = 0;
  Estimate compute;          // the step-time curve over the rank's images
  double tail_variance = 0;  // of compute's last step alone
  Estimate reducer;          // what the reducer costs on one device
  Estimate exposed;          // what the overlap of buckets with backward leaves; 0 where buckets or link are not known
  Estimate straggler;        // waiting for the slowest
  Estimate rest;             // what is in none of these
};

// The run to start from; null: none has as few devices.
const ScalingTime* FindAnchor(const ScalingTimes& times, uint32_t most_ranks, uint32_t batch);

// The point of these very devices and batch; null: not run.
const ScalingTime* FindTime(const ScalingTimes& times, uint32_t ranks, uint32_t batch);

// What the reducer costs in a step of one device at this batch; nothing where that was not measured.
std::optional<Estimate> ReducerPerStep(const ScalingTimes& times, uint32_t batch);

// The images of one rank in an epoch, padding counted.
uint64_t ImagesPerRank(const ScalingTimes& times, uint32_t ranks);

// The parts that a model of one device and a link give; straggler and rest are 0. OutOfRange: a batch beyond the curve.
absl::StatusOr<EpochParts> ModelParts(const PartsBasis& basis, uint32_t ranks, uint64_t images, uint32_t batch);

// Exposed communication of one step of `ranks` devices by the anchor's buckets; 0 where they or the link are not known.
Estimate ExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower);

// The same by NCCL's static model of an all-reduce on one node (lib/collectives/nccl_model.h). NotFound: no buckets, or none
// of its numbers of ranks.
absl::StatusOr<double> NcclExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower);

// How many times as long a step at `batch` takes as one of the anchor's. OutOfRange: a batch beyond the curve.
absl::StatusOr<double> SlowerThanAnchor(const PartsBasis& basis, uint32_t batch);

// The anchor's own parts, straggler and rest with them. The ranks wait for each other, on average, half as long as the
// slowest lags behind the fastest; stragglers take no more than what there is beyond the model. Errors as above.
absl::StatusOr<EpochParts> AnchorParts(const PartsBasis& basis);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_EPOCH_PARTS_H_
