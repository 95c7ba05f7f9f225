// Times of messages as straight pieces: t(S) = alpha_k + beta_k * S over ranges of sizes, as a library that changes its
// protocol with the size has them.
//
// Measured times are taken to be the model's times (1 + e), the e normal, of one variance over all sizes and pieces:
// times span five decades, and what counts is the relative error. alpha and beta are >= 0. A piece has at least three
// measured sizes. How many pieces, and where they part, is what makes n ln(sum e^2 / n) + (6K-4) ln n least: the
// Bayesian information criterion (G. Schwarz, Ann. Statist. 6, 1978) of K pieces, each of the K-1 places to part
// counted as four parameters, since it is sought among all sizes. A. Hall, D. Osborn and N. Sakkas (Manchester School
// 81, 2013) propose three. Of the noisy sets of lib/scaling/fit_coverage_test with three clear pieces 5 % then got one too
// many, and their intervals of 95 % held 93.0 to 95.1 %; with four 2 % do, and they hold 93.9 to 95.3 %. Pieces need
// not meet; the jump is told.
//
// The intervals take the places to part as known. They hold at their rate where pieces differ clearly; where two nearly
// agree, those of a new time still do, and those of alpha and beta mean little. Pure functions, any thread.
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
  double first_bytes = 0;  // the sizes that were measured in it
  double last_bytes = 0;
  double from_bytes = 0;  // where it takes over: where the two lines cross when that lies between their measured sizes,
                          // else the geometric middle of these. 0 for the first piece.
  double jump_seconds = 0;  // at from_bytes, up from the piece before; 0 where they cross
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
  // Student t, cut off at 0. Nothing without degrees of freedom.
  std::optional<Interval> alpha_interval;
  std::optional<Interval> beta_interval;
  int points = 0;
  int degrees_of_freedom = 0;  // points - 2: this piece's own part
  LeastSquaresFit free_fit;    // without alpha, beta >= 0: what the intervals come from
};

struct PiecewiseAlphaBeta {
  std::vector<AlphaBetaPiece> pieces;
  double relative_variance = 0;  // of e, over all pieces
  int degrees_of_freedom = 0;    // n - 2K
  double confidence = 0;
  double first_bytes = 0;
  double last_bytes = 0;
};

// `times` in order of size, sizes distinct. InvalidArgument: fewer than two sizes, sizes not in order, a size or a time
// that is not above 0 and finite, a confidence outside (0, 1), no pieces.
absl::StatusOr<PiecewiseAlphaBeta> FitPiecewiseAlphaBeta(const std::vector<TimedSize>& times, int most_pieces,
                                                         double confidence);

struct PredictedTime {
  double seconds = 0;
  std::optional<Interval>
      interval;               // holds a new measurement at the model's confidence; nothing without degrees of freedom
  bool extrapolated = false;  // outside of the measured sizes
};

// Between the last size of a piece and the first of the next the interval covers what both say: nobody measured where
// the one ends. Outside of the measured sizes it goes on with the nearest piece and says so.
PredictedTime PredictTime(const PiecewiseAlphaBeta& model, double size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_PIECEWISE_ALPHA_BETA_H_
