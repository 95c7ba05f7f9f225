// Predicts all-reduce times from measured times: a piecewise alpha-beta model (piecewise_alpha_beta.h) that is scored
// on sizes it did not see, and used only if the score is accepted.
//
// The score is leave-one-out: for each size in turn, the whole fit, including the choice of the pieces, is repeated
// without that size, and its predicted time is compared with the measured one. Left out, the smallest and the largest
// size are extrapolated. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_FIT_H_
#define LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_FIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/collectives/piecewise_alpha_beta.h"

namespace lockstep {

// Score that a fit must reach to be used. If all fields but `scored_from_bytes` keep their default, no fit is accepted.
struct FitAcceptance {
  double median_relative_error = 0;  // upper limit of the median absolute leave-one-out error: 0.05 is 5 %
  double worst_relative_error = 0;   // upper limit
  int degrees_of_freedom = 1;        // lower limit
  uint64_t scored_from_bytes = 0;    // errors of smaller sizes are listed and do not count
};

struct AllReduceFitOptions {
  FitAcceptance acceptance;
  double confidence = 0.95;  // confidence of all intervals, in (0, 1)
  int max_pieces = 4;        // maximum: NCCL has three protocols, and two algorithms of the last one
};

// One size, predicted by a fit without it.
struct LeftOutSize {
  uint64_t size_bytes = 0;
  double measured_seconds = 0;
  double predicted_seconds = 0;
  double relative_error = 0;  // predicted / measured - 1
  bool extrapolated = false;
  bool scored = false;
};

struct AllReduceFit {
  uint32_t ranks = 0;
  bool in_place = false;
  PiecewiseAlphaBeta model;
  std::vector<LeftOutSize> left_out;            // sorted by size; empty if there are fewer than three sizes
  std::optional<double> median_relative_error;  // median of the absolute errors of the scored sizes
  std::optional<double> worst_relative_error;
  std::string rejected;  // reason why the fit is not accepted; empty if it is accepted
};

// Returns true if the points have two or more sizes, which FitAllReduce needs.
bool HasSeveralSizes(const std::vector<AllReducePoint>& points);

// Fits the median time of each size, over the samples of all its points. All points must have the same ranks and
// placement. InvalidArgument: points of several kinds, fewer than two sizes, or invalid options.
absl::StatusOr<AllReduceFit> FitAllReduce(const std::vector<AllReducePoint>& points,
                                          const AllReduceFitOptions& options);

enum class Extrapolation { kRefused, kAllowed };

// FailedPrecondition: the fit was rejected. OutOfRange: `size_bytes` is outside the measured sizes and extrapolation is
// not allowed. InvalidArgument: `size_bytes` is negative or not finite.
absl::StatusOr<PredictedTime> PredictAllReduce(const AllReduceFit& fit, double size_bytes, Extrapolation extrapolation);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_FIT_H_
