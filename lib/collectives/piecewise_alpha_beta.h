// Piecewise linear model of message times: t(S) = alpha_k + beta_k * S over ranges of sizes, for a library that changes
// its protocol with the size.
//
// A measured time is taken to be the model's time * (1 + e), with e normal and of one variance over all sizes and
// pieces: times span five decades, so the relative error matters. alpha and beta are >= 0. A piece has at least three
// measured sizes. The number of pieces and the breakpoints minimize n ln(sum e^2 / n) + (6K-4) ln n: the Bayesian
// information criterion (G. Schwarz, Ann. Statist. 6, 1978) of K pieces, with each of the K-1 breakpoints counted as
// four parameters, because it is sought among all sizes. A. Hall, D. Osborn and N. Sakkas (Manchester School 81, 2013)
// propose three parameters. With three, 5 % of the noisy sets of lib/scaling/fit_coverage_test that have three clear
// pieces got one piece too many, and their 95 % intervals covered 93.0 to 95.1 %. With four, 2 % do, and the intervals
// cover 93.9 to 95.3 %. Pieces need not meet; the jump is reported.
//
// The intervals take the breakpoints as known. They reach their confidence if the pieces differ clearly. If two pieces
// nearly agree, the intervals of a new time still reach it, but those of alpha and beta mean little. Pure functions,
// any thread.
#ifndef LOCKSTEP_LIB_COLLECTIVES_PIECEWISE_ALPHA_BETA_H_
#define LOCKSTEP_LIB_COLLECTIVES_PIECEWISE_ALPHA_BETA_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/statistics/least_squares.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

// One measured size.
struct TimedSize {
  double size_bytes = 0;
  double seconds = 0;
};

struct AlphaBetaPiece {
  double first_bytes = 0;  // smallest and largest measured size of this piece
  double last_bytes = 0;
  double from_bytes = 0;  // size at which this piece takes over: the crossing of the two lines if it lies between their
                          // measured sizes, else the geometric mean of these sizes. 0 for the first piece.
  double jump_seconds = 0;  // increase at from_bytes over the previous piece; 0 if the lines cross
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
  // Student t intervals, cut off at 0. Empty without degrees of freedom.
  std::optional<Interval> alpha_interval;
  std::optional<Interval> beta_interval;
  int points = 0;
  int degrees_of_freedom = 0;  // points - 2: the contribution of this piece
  LeastSquaresFit free_fit;    // fit without alpha, beta >= 0; the intervals are computed from it
};

struct PiecewiseAlphaBeta {
  std::vector<AlphaBetaPiece> pieces;
  double relative_variance = 0;  // variance of e, over all pieces
  int degrees_of_freedom = 0;    // n - 2K
  double confidence = 0;
  double first_bytes = 0;
  double last_bytes = 0;
};

// Fits the model. `times` must be in order of size, with distinct sizes. InvalidArgument: fewer than two sizes, sizes
// not in order, a size or a time that is not above 0 and finite, a confidence outside (0, 1), max_pieces < 1.
absl::StatusOr<PiecewiseAlphaBeta> FitPiecewiseAlphaBeta(const std::vector<TimedSize>& times, int max_pieces,
                                                         double confidence);

struct PredictedTime {
  double seconds = 0;
  std::optional<Interval>
      interval;               // contains a new measurement at the model's confidence; empty without degrees of freedom
  bool extrapolated = false;  // true outside the measured sizes
};

// Returns the time that the model predicts. Between the last size of a piece and the first size of the next, the
// interval covers the intervals of both pieces, because the breakpoint was not measured. Outside the measured sizes the
// nearest piece is extrapolated.
PredictedTime PredictTime(const PiecewiseAlphaBeta& model, double size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_PIECEWISE_ALPHA_BETA_H_
