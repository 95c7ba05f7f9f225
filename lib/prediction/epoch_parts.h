// Parts of the steps of an epoch on several devices, and the parts that a measured run of fewer devices shows.
//
// The anchor is the run that a prediction starts from. Runs of several devices are preferred over runs of one device,
// then the requested batch over others, then more devices over fewer, then the nearest batch. The anchor's time beyond
// the model of one device and a link is split into stragglers and a rest.
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

// Inputs of the parts. All objects that the pointers refer to must outlive it.
struct PartsBasis {
  const ScalingTimes* times;
  const StepCurve* curve;
  const AllReduceTime* all_reduce;
  const ScalingTime* anchor;
  std::optional<Estimate> reducer_per_step;  // empty: not measured
};

// Parts of the steps of one epoch, in seconds per epoch.
struct EpochParts {
  double steps = 0;
  Estimate compute;          // step-time curve over the rank's images
  double tail_variance = 0;  // variance of the last step of `compute` alone
  Estimate reducer;          // cost of the reducer on one device
  Estimate exposed;          // communication that backward does not hide; 0 if buckets or link are not known
  Estimate straggler;        // time spent waiting for the slowest rank
  Estimate rest;             // all other time
};

// Returns the run to start from; null if all runs have more than `max_ranks` devices.
const ScalingTime* FindAnchor(const ScalingTimes& times, uint32_t max_ranks, uint32_t batch);

// Returns the point of these devices and this batch; null if it was not run.
const ScalingTime* FindTime(const ScalingTimes& times, uint32_t ranks, uint32_t batch);

// Returns the reducer's cost in a step of one device at this batch; nullopt if it was not measured.
std::optional<Estimate> ReducerPerStep(const ScalingTimes& times, uint32_t batch);

// Returns the images of one rank in an epoch, including padding.
uint64_t ImagesPerRank(const ScalingTimes& times, uint32_t ranks);

// Returns the parts that the model of one device and a link gives; straggler and rest are 0. OutOfRange: a batch above
// the curve.
absl::StatusOr<EpochParts> ModelParts(const PartsBasis& basis, uint32_t ranks, uint64_t images, uint32_t batch);

// Returns the exposed communication of one step of `ranks` devices with the anchor's buckets; 0 if buckets or link are
// not known.
Estimate ExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower);

// Returns the same by NCCL's static model of an all-reduce on one node (lib/collectives/nccl_model.h). NotFound: there
// are no buckets, or the model does not cover this number of ranks.
absl::StatusOr<double> NcclExposedPerStep(const PartsBasis& basis, uint32_t ranks, double slower);

// Returns the time of a step at `batch` over that of the anchor's step. OutOfRange: a batch above the curve.
absl::StatusOr<double> SlowerThanAnchor(const PartsBasis& basis, uint32_t batch);

// Returns the anchor's own parts, including straggler and rest. On average the ranks wait half of the time by which the
// slowest lags behind the fastest. Stragglers are limited to the time beyond the model. Errors as above.
absl::StatusOr<EpochParts> AnchorParts(const PartsBasis& basis);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_EPOCH_PARTS_H_
