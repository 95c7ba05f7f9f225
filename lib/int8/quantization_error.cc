#include "lib/int8/quantization_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr int kSteps = 2048;  // number of steps that a search tries: as fine as the bins

Range LeastSquaresSymmetricRange(const SideValues& negative, const SideValues& positive, double max_abs) {
  double best = max_abs, min_error = std::numeric_limits<double>::infinity();
  for (int k = kSteps; k > 0; --k) {
    const double high = max_abs * k / kSteps;
    const double error =
        negative.SquaredErrors(high / 127, 127).back() + positive.SquaredErrors(high / 127, 127).back();
    if (error < min_error) {
      min_error = error;
      best = high;
    }
  }
  return {-best, best};
}

Range LeastSquaresAffineRange(const SideValues& negative, const SideValues& positive, double width) {
  Range best;
  double min_error = std::numeric_limits<double>::infinity();
  for (int k = kSteps; k > 0; --k) {
    const double step = width / 255 * k / kSteps;
    const std::vector<double> below = negative.SquaredErrors(step, 255), above = positive.SquaredErrors(step, 255);
    for (int levels = 0; levels <= 255; ++levels) {
      if (const double error = below[levels] + above[255 - levels]; error < min_error) {
        min_error = error;
        best = {-levels * step, (255 - levels) * step};
      }
    }
  }
  return best;
}

}  // namespace

SideValues::SideValues(const FineHistogram& histogram, Side side)
    : width_(histogram.width()), max_(std::max(0.0, side == Side::kPositive ? histogram.max() : -histogram.min())),
      below_(1) {
  const int bins = max_ > 0 ? static_cast<int>(max_ / width_) + 1 : 0;
  for (int bin = 0; bin < bins; ++bin) {
    counts_.push_back(static_cast<double>(histogram.NonZeros(side == Side::kPositive ? bin : ~bin)));
    below_.push_back(Below(bin, max_));
  }
}

SideValues::Moments SideValues::Below(size_t bin, double magnitude) const {
  const double low = static_cast<double>(bin) * width_, high = std::min(low + width_, max_);
  const double end = std::min(magnitude, high);
  const double count = high > low ? counts_[bin] * ((end - low) / (high - low)) : counts_[bin];
  const Moments& before = below_[bin];
  return {before.count + count, before.sum + count * (low + end) / 2,
          before.sum_of_squares + count * (low * low + low * end + end * end) / 3};
}

SideValues::Moments SideValues::Below(double magnitude) const {
  if (magnitude <= 0) {
    return {};
  }
  return magnitude < max_ ? Below(static_cast<size_t>(magnitude / width_), magnitude) : below_.back();
}

std::vector<double> SideValues::SquaredErrors(double step, int levels) const {
  const Moments& all = below_.back();
  std::vector<double> errors;
  double inner = 0;  // error of the values nearest to one of the previous levels
  Moments lower;     // moments of these values
  for (int level = 0; level <= levels; ++level) {
    errors.push_back(inner + ErrorAround(level * step, lower, all));
    const Moments upper = Below((level + 0.5) * step);
    inner += ErrorAround(level * step, lower, upper);
    lower = upper;
  }
  return errors;
}

double SideValues::ErrorAround(double level, const Moments& lower, const Moments& upper) {
  const double error = upper.sum_of_squares - lower.sum_of_squares - 2 * level * (upper.sum - lower.sum) +
                       level * level * (upper.count - lower.count);
  return std::max(0.0, error);  // rounding can make it slightly negative
}

double SideValues::CountBeyond(double magnitude) const { return below_.back().count - Below(magnitude).count; }

absl::StatusOr<RangeQuality> ExpectedQuality(const FineHistogram& histogram, const Range& range,
                                             QuantizationScheme scheme, absl::string_view name) {
  ASSIGN_OR_RETURN(const AffineParams params, MakeAffineParams(range, scheme, name));
  RangeQuality quality;
  quality.snr_db = std::numeric_limits<double>::infinity();
  if (histogram.size() == 0) {
    return quality;
  }
  const Levels levels = LevelsOf(params, scheme);
  const SideValues negative(histogram, SideValues::Side::kNegative), positive(histogram, SideValues::Side::kPositive);
  const double step = 1 / params.scale;
  const double clipped =
      negative.CountBeyond((levels.negative + 0.5) * step) + positive.CountBeyond((levels.positive + 0.5) * step);
  quality.clipped_share = clipped / static_cast<double>(histogram.size());
  const double error =
      negative.SquaredErrors(step, levels.negative).back() + positive.SquaredErrors(step, levels.positive).back();
  if (error > 0) {
    quality.snr_db = 10 * std::log10(histogram.SumOfSquares() / error);
  }
  return quality;
}

Range LeastSquaresRange(const FineHistogram& histogram, QuantizationScheme scheme) {
  const SideValues negative(histogram, SideValues::Side::kNegative), positive(histogram, SideValues::Side::kPositive);
  if (histogram.MaxAbs() == 0) {
    return {};
  }
  const double width = std::max(0.0, histogram.max()) - std::min(0.0, histogram.min());
  return scheme == QuantizationScheme::kSymmetric ? LeastSquaresSymmetricRange(negative, positive, histogram.MaxAbs())
                                                  : LeastSquaresAffineRange(negative, positive, width);
}

}  // namespace lockstep
