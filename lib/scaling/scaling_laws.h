// Fits of the laws of scaling_law.h to measured points: parameters with intervals, scores, and predictions.
//
// Points of several batches are fitted together: each batch has its own g, all share a and b. Measured throughputs are
// taken to be the law's times e^noise, with normal noise of one variance over all points. Each point has the same
// weight and is the mean of its repeats, because repeats within one run share the error that differs between runs. a, b
// >= 0. Intervals are Student t's of the fit without that constraint (lib/scaling/scaling_law.h), cut off at 0: if the
// true value is 0, they contain it more often than the confidence. Pure functions, any thread.
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
  uint32_t ranks = 0;              // must be >= 1
  uint32_t batch = 0;              // points of one batch share g; 0 is a valid batch
  std::vector<double> throughput;  // one per repeat, in any unit, all > 0 and finite
};

struct FittedParameter {
  double value = 0;
  std::optional<Interval> interval;  // empty without degrees of freedom
};

// One point, predicted by a fit without it.
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
  FittedParameter coherency;                       // b; for laws without b: 0, without an interval
  // N at which the universal law's throughput is largest, sqrt((1-a)/b), with Fieller's interval, whose end is infinite
  // if b cannot be distinguished from 0. Empty if b is 0 or a is 1 or more: then there is no peak.
  std::optional<FittedParameter> peak_ranks;
  int degrees_of_freedom = 0;  // points - parameters
  double confidence = 0;
  uint32_t smallest_ranks = 0;
  uint32_t largest_ranks = 0;
  std::vector<LeftOutPoint> left_out;  // points that the others can predict: enough others for the law, one of them of
                                       // the same batch
  std::optional<double> median_relative_error;  // median of the absolute errors in left_out
  std::optional<double> worst_relative_error;
  LeastSquaresFit free_fit;  // fit in (ln g of each batch in order, a, b), without the constraint; linearized at the
                             // optimum
};

// FailedPrecondition: too few points, or too few different N, for the law's parameters. InvalidArgument: a point
// without ranks or throughput, or a confidence outside (0, 1). Internal: the steps do not converge.
absl::StatusOr<ScalingLawFit> FitScalingLaw(ScalingLaw law, const std::vector<ScalingPoint>& points, double confidence);

struct PredictedThroughput {
  double value = 0;
  std::optional<Interval>
      interval;  // contains a new measurement at the fit's confidence; empty without degrees of freedom
  bool extrapolated = false;
};

enum class OutsideMeasured { kRefused, kPredicted };

// NotFound: no point of this batch was fitted. OutOfRange: N is outside the measured range and `outside` is kRefused.
// FailedPrecondition: N is outside that range and there are no degrees of freedom, so that the error cannot be
// estimated. InvalidArgument: N = 0.
absl::StatusOr<PredictedThroughput> PredictThroughput(const ScalingLawFit& fit, uint32_t batch, uint32_t ranks,
                                                      OutsideMeasured outside);

struct ScalingLawComparison {
  std::vector<ScalingLawFit> fits;   // the smallest median leave-one-out error first; fits without an error last
  std::vector<std::string> missing;  // "universal: REASON" for each law that could not be fitted
};

// Fits all three laws to the same points. Errors are those of the points themselves.
absl::StatusOr<ScalingLawComparison> CompareScalingLaws(const std::vector<ScalingPoint>& points, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_LAWS_H_
