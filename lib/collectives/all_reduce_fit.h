// From measured all-reduce times to predicted ones: a piecewise alpha-beta model (piecewise_alpha_beta.h), scored on
// sizes that it did not see, and used only when it passes.
//
// The score is leave-one-out: for each size in turn all is done again without it, the choice of the pieces too, and the
// time that this predicts is compared with the measured one. The smallest and the largest size are extrapolated to that
// way. Pure functions, any thread.
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

// What a fit must reach to be used. Nothing passes what is left at 0, but for `scored_from_bytes`.
struct FitAcceptance {
  double median_relative_error = 0;  // at most, of leave-one-out errors without their signs: 0.05 is 5 %
  double worst_relative_error = 0;   // at most
  int degrees_of_freedom = 1;        // at least
  uint64_t scored_from_bytes = 0;    // errors of smaller sizes are listed and do not count
};

struct AllReduceFitOptions {
  FitAcceptance acceptance;
  double confidence = 0.95;  // of all intervals, in (0, 1)
  int most_pieces = 4;       // NCCL has three protocols, and two algorithms of the last
};

// One size that was left out.
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
  std::vector<LeftOutSize> left_out;            // in order of size; empty with fewer than three sizes
  std::optional<double> median_relative_error;  // of the scored ones, without their signs
  std::optional<double> worst_relative_error;
  std::string rejected;  // why the fit fails its acceptance; empty: it is accepted
};

// All points are of the same ranks and placement; the samples of one size, of all its points, count as their median.
// InvalidArgument: points of several kinds, fewer than two sizes, or options without a meaning.
absl::StatusOr<AllReduceFit> FitAllReduce(const std::vector<AllReducePoint>& points,
                                          const AllReduceFitOptions& options);

enum class Extrapolation { kRefused, kAllowed };

// FailedPrecondition: the fit was rejected. OutOfRange: outside of the measured sizes and not allowed; InvalidArgument:
// no size.
absl::StatusOr<PredictedTime> PredictAllReduce(const AllReduceFit& fit, double size_bytes, Extrapolation extrapolation);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_FIT_H_
