#include "lib/collectives/piecewise_alpha_beta.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kFewestPoints = 3;  // points per piece, if there are several pieces: two parameters and one degree of
                                     // freedom

// A relative error that no clock resolves. Without this floor, exact points would be split because of their rounding.
constexpr double kFinestError = 1e-9;

constexpr int kReweightings = 3;  // each changes the weights less than the one before, by a factor of the relative
                                  // error

absl::Status CheckTimes(const std::vector<TimedSize>& times, int max_pieces, double confidence) {
  if (times.size() < 2 || max_pieces < 1 || !(confidence > 0 && confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 2 or more sizes, 1 or more pieces and a confidence between 0 and 1, found ",
                     times.size(), ", ", max_pieces, " and ", confidence));
  }
  for (size_t i = 0; i < times.size(); ++i) {
    const auto [size, seconds] = times[i];
    if (!(size > 0) || !std::isfinite(size) || !(seconds > 0) || !std::isfinite(seconds)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected sizes and times above 0, found ", size, " bytes in ", seconds, " s"));
    }
    if (i > 0 && size <= times[i - 1].size_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected each size once and in order, found ", size, " bytes after ", times[i - 1].size_bytes));
    }
  }
  return absl::OkStatus();
}

// Builds the problem of sizes first, first + 1, ..., last - 1, each with the weight 1 / time^2.
LeastSquaresProblem Problem(const std::vector<TimedSize>& times, size_t first, size_t last) {
  LeastSquaresProblem problem;
  for (size_t i = first; i < last; ++i) {
    problem.rows.push_back({1, times[i].size_bytes});
    problem.values.push_back(times[i].seconds);
    problem.weights.push_back(1 / (times[i].seconds * times[i].seconds));
  }
  return problem;
}

// Uses weights 1 / fitted^2: weights from the measured times would favour times that were measured too short.
absl::StatusOr<LeastSquaresFit> FitReweighted(LeastSquaresProblem* problem) {
  ASSIGN_OR_RETURN(LeastSquaresFit fit, FitLeastSquares(*problem));
  for (int round = 0; round < kReweightings; ++round) {
    for (size_t i = 0; i < problem->rows.size(); ++i) {
      // A line that misses a time by more than half does not estimate its noise.
      const double measured = problem->values[i];
      const double fitted = std::clamp(Evaluate(problem->rows[i], fit.parameters), 0.5 * measured, 2 * measured);
      problem->weights[i] = 1 / (fitted * fitted);
    }
    ASSIGN_OR_RETURN(fit, FitLeastSquares(*problem));
  }
  return fit;
}

bool IsNonNegative(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
}

double SumOfSquares(const LeastSquaresProblem& problem, const std::vector<double>& parameters) {
  double sum = 0;
  for (size_t i = 0; i < problem.rows.size(); ++i) {
    const double error = Evaluate(problem.rows[i], parameters) - problem.values[i];
    sum += problem.weights[i] * error * error;
  }
  return sum;
}

// Returns the sum of the squared errors, relative to the measured times, of one line through these sizes.
absl::StatusOr<double> CostOf(const std::vector<TimedSize>& times, size_t first, size_t last) {
  const LeastSquaresProblem problem = Problem(times, first, last);
  ASSIGN_OR_RETURN(const LeastSquaresFit fit, FitLeastSquares(problem));
  if (IsNonNegative(fit.parameters)) {
    return fit.sum_of_squares;
  }
  ASSIGN_OR_RETURN(const std::vector<double> held, FitNonNegative(problem));
  return SumOfSquares(problem, held);
}

// Returns cost[first][last] for all ranges that may be a piece; infinite for the other ranges.
absl::StatusOr<std::vector<std::vector<double>>> AllCosts(const std::vector<TimedSize>& times) {
  const size_t n = times.size();
  std::vector<std::vector<double>> cost(n + 1, std::vector<double>(n + 1, std::numeric_limits<double>::infinity()));
  for (size_t first = 0; first < n; ++first) {
    for (size_t last = first + 2; last <= n; ++last) {
      const bool whole = first == 0 && last == n;
      if (whole || last - first >= kFewestPoints) {
        ASSIGN_OR_RETURN(cost[first][last], CostOf(times, first, last));
      }
    }
  }
  return cost;
}

// First index of each of `pieces` pieces, for the least total cost; empty if there are too few sizes.
struct Partition {
  std::vector<size_t> first;
  double cost = std::numeric_limits<double>::infinity();
};

// Dynamic programming: best[k][last] is the best partition of the sizes before `last` into k + 1 pieces.
Partition BestPartition(const std::vector<std::vector<double>>& cost, size_t n, size_t pieces) {
  std::vector<std::vector<Partition>> best(pieces, std::vector<Partition>(n + 1));
  for (size_t last = 1; last <= n; ++last) {
    best[0][last] = {{0}, cost[0][last]};
  }
  for (size_t k = 1; k < pieces; ++k) {
    for (size_t last = 1; last <= n; ++last) {
      for (size_t first = 1; first < last; ++first) {
        const double total = best[k - 1][first].cost + cost[first][last];
        if (total < best[k][last].cost) {
          best[k][last] = best[k - 1][first];
          best[k][last].first.push_back(first);
          best[k][last].cost = total;
        }
      }
    }
  }
  return best[pieces - 1][n];
}

// Returns the number of parameters: two per piece, and four per breakpoint, because it is sought among all sizes.
int CriterionCount(size_t pieces) { return 6 * static_cast<int>(pieces) - 4; }

double Criterion(double cost, size_t n, size_t pieces) {
  const double count = static_cast<double>(n);
  return count * std::log(std::max(cost / count, kFinestError * kFinestError)) +
         CriterionCount(pieces) * std::log(count);
}

absl::StatusOr<Partition> ChoosePartition(const std::vector<TimedSize>& times, int max_pieces) {
  ASSIGN_OR_RETURN(const auto cost, AllCosts(times));
  const size_t n = times.size();
  Partition chosen = BestPartition(cost, n, 1);
  for (size_t pieces = 2; pieces <= static_cast<size_t>(max_pieces) && kFewestPoints * pieces <= n; ++pieces) {
    const Partition partition = BestPartition(cost, n, pieces);
    if (std::isfinite(partition.cost) &&
        Criterion(partition.cost, n, pieces) < Criterion(chosen.cost, n, chosen.first.size())) {
      chosen = partition;
    }
  }
  return chosen;
}

absl::StatusOr<AlphaBetaPiece> FitPiece(const std::vector<TimedSize>& times, size_t first, size_t last) {
  LeastSquaresProblem problem = Problem(times, first, last);
  AlphaBetaPiece piece;
  ASSIGN_OR_RETURN(piece.free_fit, FitReweighted(&problem));
  std::vector<double> parameters = piece.free_fit.parameters;
  if (!IsNonNegative(parameters)) {
    ASSIGN_OR_RETURN(parameters, FitNonNegative(problem));
  }
  piece.alpha_seconds = parameters[0];
  piece.beta_seconds_per_byte = parameters[1];
  piece.first_bytes = times[first].size_bytes;
  piece.last_bytes = times[last - 1].size_bytes;
  piece.points = static_cast<int>(last - first);
  piece.degrees_of_freedom = piece.points - 2;
  return piece;
}

double LineAt(const AlphaBetaPiece& piece, double size_bytes) {
  return piece.alpha_seconds + piece.beta_seconds_per_byte * size_bytes;
}

void Join(const AlphaBetaPiece& before, AlphaBetaPiece* piece) {
  const double crossing =
      (before.alpha_seconds - piece->alpha_seconds) / (piece->beta_seconds_per_byte - before.beta_seconds_per_byte);
  if (crossing > before.last_bytes && crossing < piece->first_bytes) {
    piece->from_bytes = crossing;
    return;
  }
  piece->from_bytes = std::sqrt(before.last_bytes) * std::sqrt(piece->first_bytes);
  piece->jump_seconds = LineAt(*piece, piece->from_bytes) - LineAt(before, piece->from_bytes);
}

// Returns `center` -+ Student's t interval, cut off at 0 and extended to include `shown`. `shown` may have been held at
// 0, which also changes the other parameter.
std::optional<Interval> IntervalAround(const PiecewiseAlphaBeta& model, double center, double unscaled_variance,
                                       double shown) {
  if (model.degrees_of_freedom <= 0) {
    return std::nullopt;
  }
  const double half = StudentTFactor(model.confidence, model.degrees_of_freedom) *
                      std::sqrt(model.relative_variance * unscaled_variance);
  return Interval{std::min(std::max(center - half, 0.0), shown), std::max(center + half, shown)};
}

void AddIntervals(PiecewiseAlphaBeta* model) {
  for (AlphaBetaPiece& piece : model->pieces) {
    const LeastSquaresFit& fit = piece.free_fit;
    piece.alpha_interval =
        IntervalAround(*model, fit.parameters[0], fit.unscaled_covariance[0][0], piece.alpha_seconds);
    piece.beta_interval =
        IntervalAround(*model, fit.parameters[1], fit.unscaled_covariance[1][1], piece.beta_seconds_per_byte);
  }
}

std::optional<Interval> NewMeasurement(const PiecewiseAlphaBeta& model, const AlphaBetaPiece& piece,
                                       double size_bytes) {
  const std::vector<double> row = {1, size_bytes};
  const double shown = LineAt(piece, size_bytes);
  return IntervalAround(model, Evaluate(row, piece.free_fit.parameters),
                        UnscaledVariance(piece.free_fit, row) + shown * shown, shown);
}

}  // namespace

absl::StatusOr<PiecewiseAlphaBeta> FitPiecewiseAlphaBeta(const std::vector<TimedSize>& times, int max_pieces,
                                                         double confidence) {
  RETURN_IF_ERROR(CheckTimes(times, max_pieces, confidence));
  ASSIGN_OR_RETURN(const Partition partition, ChoosePartition(times, max_pieces));
  PiecewiseAlphaBeta model;
  double sum_of_squares = 0;
  for (size_t k = 0; k < partition.first.size(); ++k) {
    const size_t last = k + 1 < partition.first.size() ? partition.first[k + 1] : times.size();
    ASSIGN_OR_RETURN(AlphaBetaPiece piece, FitPiece(times, partition.first[k], last));
    if (k > 0) {
      Join(model.pieces.back(), &piece);
    }
    sum_of_squares += piece.free_fit.sum_of_squares;
    model.pieces.push_back(std::move(piece));
  }
  model.degrees_of_freedom = static_cast<int>(times.size()) - 2 * static_cast<int>(model.pieces.size());
  model.relative_variance = model.degrees_of_freedom > 0 ? sum_of_squares / model.degrees_of_freedom : 0;
  model.confidence = confidence;
  model.first_bytes = times.front().size_bytes;
  model.last_bytes = times.back().size_bytes;
  AddIntervals(&model);
  return model;
}

PredictedTime PredictTime(const PiecewiseAlphaBeta& model, double size_bytes) {
  size_t k = 0;
  while (k + 1 < model.pieces.size() && size_bytes >= model.pieces[k + 1].from_bytes) {
    ++k;
  }
  PredictedTime predicted;
  predicted.seconds = LineAt(model.pieces[k], size_bytes);
  predicted.interval = NewMeasurement(model, model.pieces[k], size_bytes);
  predicted.extrapolated = size_bytes < model.first_bytes || size_bytes > model.last_bytes;
  const bool before_first = k > 0 && size_bytes < model.pieces[k].first_bytes;
  const bool after_last = k + 1 < model.pieces.size() && size_bytes > model.pieces[k].last_bytes;
  if (predicted.interval && (before_first || after_last)) {
    const auto other = NewMeasurement(model, model.pieces[before_first ? k - 1 : k + 1], size_bytes);
    predicted.interval =
        Interval{std::min(predicted.interval->low, other->low), std::max(predicted.interval->high, other->high)};
  }
  return predicted;
}

}  // namespace lockstep
