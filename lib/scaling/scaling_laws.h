// The laws of scaling_law.h fitted to measured points: parameters with intervals, scores, and predictions.
//
// Points of several batches are fitted together: each batch has its own g, all share a and b. Measured throughputs are
// taken to be the law's times e^noise, the noise normal, of one variance over all points: each point counts alike, by
// the mean of its repeats, which within one run share what differs between runs. a, b >= 0. Intervals are Student t's
// of the fit without that constraint (lib/scaling/scaling_law.h), cut off at 0: where the truth is 0 they hold it
// more often than they say. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_LAWS_H_
#define LOCKSTEP_LIB_SCALING_SCALING_LAWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/scaling/scaling_law.h"
#include "lib/statistics/least_squares.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

struct ScalingPoint {
  uint32_t ranks = 0;              // N >= 1
  uint32_t batch = 0;              // points of one batch share g; 0 is a batch like any other
  std::vector<double> throughput;  // one a repeat, in any unit, all > 0 and finite
};

struct FittedParameter {
  double value = 0;
  std::optional<Interval> interval;  // nothing without degrees of freedom
};

// One point that was left out, predicted by the others.
struct LeftOutPoint {
  uint32_t ranks = 0;
  uint32_t batch = 0;
  double measured = 0;
  double predicted = 0;
  double relative_error = 0;  // predicted / measured - 1
};

struct ScalingLawFit {
  ScalingLaw law = ScalingLaw::kAmdahl;
  std::map<uint32_t, FittedParameter> one_device;  // g by batch
  FittedParameter serial;                          // a
  FittedParameter coherency;                       // b; 0 and without an interval for the laws that have none
  // N at which the universal law's throughput is largest, sqrt((1-a)/b), with Fieller's interval, whose end is infinite
  // when b cannot be told from 0. Nothing when b is 0 or a is 1 or more: then there is no peak.
  std::optional<FittedParameter> peak_ranks;
  int degrees_of_freedom = 0;  // points - parameters
  double confidence = 0;
  uint32_t smallest_ranks = 0;
  uint32_t largest_ranks = 0;
  std::vector<LeftOutPoint> left_out;  // those that the others can predict: of the same batch, enough for the law
  std::optional<double> median_relative_error;  // of left_out, without their signs
  std::optional<double> worst_relative_error;
  LeastSquaresFit free_fit;  // in (ln g of each batch in order, a, b), without the constraint; linear at its best
};

// FailedPrecondition: too few points, or too few different N, for the law's parameters. InvalidArgument: a point
// without ranks or throughput, or a confidence outside (0, 1). Internal: the steps do not settle.
absl::StatusOr<ScalingLawFit> FitScalingLaw(ScalingLaw law, const std::vector<ScalingPoint>& points, double confidence);

struct PredictedThroughput {
  double value = 0;
  std::optional<Interval>
      interval;  // holds a new measurement at the fit's confidence; nothing without degrees of freedom
  bool extrapolated = false;
};

// NotFound: no point of this batch was fitted. OutOfRange: N outside of the measured ones and `extrapolate` is false.
// FailedPrecondition: N outside and no degrees of freedom: nothing would say how far off it is. InvalidArgument: N = 0.
absl::StatusOr<PredictedThroughput> PredictThroughput(const ScalingLawFit& fit, uint32_t batch, uint32_t ranks,
                                                      bool extrapolate);

struct ScalingLawComparison {
  std::vector<ScalingLawFit> fits;   // the smallest median leave-one-out error first; those without one last
  std::vector<std::string> missing;  // "universal: why it could not be fitted"
};

// All three laws on the same points. Errors are those of the points themselves.
absl::StatusOr<ScalingLawComparison> CompareScalingLaws(const std::vector<ScalingPoint>& points, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_LAWS_H_
