#include "lib/int8/range_choice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/int8/entropy_range.h"
#include "lib/int8/quantization_error.h"

namespace lockstep {
namespace {

constexpr int kSide = FineHistogram::kBinsPerSide;

// Returns [min, max], extended to contain 0.
Range WholeRange(const FineHistogram& histogram) {
  return {std::min(0.0, histogram.min()), std::max(0.0, histogram.max())};
}

Range Within(const Range& outer, double low, double high) {
  return {std::clamp(low, outer.low, 0.0) + 0.0, std::clamp(high, 0.0, outer.high)};  // + 0.0 turns -0 into 0
}

bool OneSided(const Range& whole) { return whole.low == 0 || whole.high == 0; }

enum class Sides { kNegative, kPositive, kBoth };

// Returns the counts of magnitudes above 0, up to the last bin that is not empty.
std::vector<uint64_t> Magnitudes(const FineHistogram& histogram, Sides sides) {
  std::vector<uint64_t> counts;
  for (int bin = 0; bin < kSide; ++bin) {
    counts.push_back((sides != Sides::kPositive ? histogram.NonZeros(~bin) : 0) +
                     (sides != Sides::kNegative ? histogram.NonZeros(bin) : 0));
  }
  while (!counts.empty() && counts.back() == 0) {
    counts.pop_back();
  }
  return counts;
}

// Returns the upper edge of the bin that holds the largest magnitude after the `outside` largest are left out; 0 if no
// magnitude is left.
double EdgeWithout(const std::vector<uint64_t>& counts, uint64_t outside, double width) {
  uint64_t beyond = 0;
  for (size_t bin = counts.size(); bin > 0; --bin) {
    beyond += counts[bin - 1];
    if (beyond > outside) {
      return static_cast<double>(bin) * width;
    }
  }
  return 0;
}

// Returns `percent` % of `size`, rounded down. The tolerance 1e-6 makes 100 - 99.9 % of 1,000 equal to 1, although that
// difference is slightly smaller than 0.1 in floating point.
uint64_t ShareOf(uint64_t size, double percent) {
  return static_cast<uint64_t>(static_cast<double>(size) * percent / 100 + 1e-6);
}

Range PercentileRange(const FineHistogram& histogram, double percentile, QuantizationScheme scheme) {
  const Range whole = WholeRange(histogram);
  const double width = histogram.width();
  if (scheme == QuantizationScheme::kSymmetric) {
    const uint64_t outside = ShareOf(histogram.size(), 100 - percentile);
    const double c = EdgeWithout(Magnitudes(histogram, Sides::kBoth), outside, width);
    return Within(whole, -c, c);
  }
  const uint64_t outside = ShareOf(histogram.size(), (100 - percentile) / (OneSided(whole) ? 1 : 2));
  return Within(whole, -EdgeWithout(Magnitudes(histogram, Sides::kNegative), outside, width),
                EdgeWithout(Magnitudes(histogram, Sides::kPositive), outside, width));
}

Range EntropyRange(const FineHistogram& histogram, QuantizationScheme scheme) {
  const Range whole = WholeRange(histogram);
  const std::vector<uint64_t> counts = Magnitudes(histogram, Sides::kBoth);
  const size_t bins = MinDivergenceBins(counts, scheme == QuantizationScheme::kAffine && OneSided(whole) ? 256 : 128);
  const double threshold = static_cast<double>(bins) * histogram.width();
  return Within(whole, -threshold, threshold);
}

absl::StatusOr<Range> RangeOf(const FineHistogram& histogram, proto::RangeMethod method, double percentile,
                              QuantizationScheme scheme) {
  switch (method) {
    case proto::MIN_MAX:
      return WholeRange(histogram);
    case proto::PERCENTILE:
      return PercentileRange(histogram, percentile, scheme);
    case proto::MSE:
      return LeastSquaresRange(histogram, scheme);
    case proto::ENTROPY:
      return EntropyRange(histogram, scheme);
    default:
      return absl::InternalError(absl::StrCat("unknown range method ", method));
  }
}

}  // namespace

absl::StatusOr<Range> ChooseRange(const FineHistogram& histogram, proto::RangeMethod method, double percentile,
                                  QuantizationScheme scheme, absl::string_view name) {
  if (!histogram.finite()) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, ": ", histogram.not_finite(), " of ", histogram.size() + histogram.not_finite(),
        " values are NaN or infinite; int8 needs finite values. Did training diverge? Train again with a smaller "
        "learning rate"));
  }
  if (method == proto::PERCENTILE && !(percentile > 0 && percentile <= 100)) {
    return absl::InvalidArgumentError(absl::StrCat("the percentile is ", percentile, "; it must be in (0, 100]"));
  }
  ASSIGN_OR_RETURN(Range range, RangeOf(histogram, method, percentile, scheme));
  if (range.low == 0 && range.high == 0) {
    range = histogram.MaxAbs() > 0 ? WholeRange(histogram) : Range{0, 1};
  }
  if (scheme == QuantizationScheme::kSymmetric) {
    const double c = std::max(-range.low, range.high);
    range = {-c, c};
  }
  return range;
}

}  // namespace lockstep
