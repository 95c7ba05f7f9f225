#include "lib/peer/all_reduce_crossovers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

bool IsMeasured(const MeasuredWays& size) {
  return std::any_of(size.seconds.begin(), size.seconds.end(), [](const auto& seconds) { return seconds.has_value(); });
}

absl::Status CheckTimes(const MeasuredWays& size) {
  for (const std::optional<double>& seconds : size.seconds) {
    if (seconds.has_value() && !(*seconds > 0 && std::isfinite(*seconds))) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a time above 0 s of ", size.bytes, " bytes, found ", *seconds));
    }
  }
  return absl::OkStatus();
}

// Returns log(time / time of the fastest algorithm), or kNever if the algorithm was not measured at this size.
double Loss(const MeasuredWays& size, AllReduceWay way) {
  double fastest = kNever;
  for (const std::optional<double>& seconds : size.seconds) {
    fastest = std::min(fastest, seconds.value_or(kNever));
  }
  return std::log(size.seconds[static_cast<size_t>(way)].value_or(kNever) / fastest);
}

// Returns at [n] the sum of the losses of the first n sizes with this algorithm.
std::vector<double> LossesBefore(const std::vector<MeasuredWays>& sizes, AllReduceWay way) {
  std::vector<double> sums = {0};
  for (const MeasuredWays& size : sizes) {
    sums.push_back(sums.back() + Loss(size, way));
  }
  return sums;
}

// Returns at [n] the sum of the losses of all sizes from the n-th on with this algorithm.
std::vector<double> LossesFrom(const std::vector<MeasuredWays>& sizes, AllReduceWay way) {
  std::vector<double> sums(sizes.size() + 1, 0);
  for (size_t n = sizes.size(); n > 0; --n) {
    sums[n - 1] = sums[n] + Loss(sizes[n - 1], way);
  }
  return sums;
}

}  // namespace

AllReduceWay WayOf(const AllReduceCrossovers& crossovers, size_t bytes) {
  return bytes <= crossovers.max_one_shot_bytes    ? AllReduceWay::kOneShot
         : bytes <= crossovers.max_two_shots_bytes ? AllReduceWay::kTwoShots
                                                   : AllReduceWay::kCopies;
}

absl::StatusOr<AllReduceCrossovers> ChooseCrossovers(std::vector<MeasuredWays> measured) {
  measured.erase(std::remove_if(measured.begin(), measured.end(), [](const auto& size) { return !IsMeasured(size); }),
                 measured.end());
  if (measured.empty()) {
    return absl::InvalidArgumentError("expected measured times of an all-reduce, found none");
  }
  std::sort(measured.begin(), measured.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  for (size_t i = 0; i < measured.size(); ++i) {
    RETURN_IF_ERROR(CheckTimes(measured[i]));
    if (i > 0 && measured[i].bytes == measured[i - 1].bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a size once, found ", measured[i].bytes, " bytes twice"));
    }
  }
  const std::vector<double> in_one_shot = LossesBefore(measured, AllReduceWay::kOneShot);
  const std::vector<double> by_copies = LossesFrom(measured, AllReduceWay::kCopies);
  const size_t sizes = measured.size();
  double min_loss = kNever;
  size_t best_one = 0, best_two = 0;  // numbers of sizes, from the smallest, for one shot and for at most two
  for (size_t one = sizes + 1; one-- > 0;) {
    double in_two_shots = 0;
    // `two` increases, because in_two_shots accumulates, while `one` decreases. Of equal losses the highest choice is
    // kept: by "<=" for `two`, by "<" for `one`.
    double min_loss_here = kNever;
    size_t best_here = one;
    for (size_t two = one; two <= sizes; ++two) {
      const double loss = in_one_shot[one] + in_two_shots + by_copies[two];
      if (loss <= min_loss_here) {
        min_loss_here = loss;
        best_here = two;
      }
      in_two_shots += two < sizes ? Loss(measured[two], AllReduceWay::kTwoShots) : 0;
    }
    if (min_loss_here < min_loss) {
      min_loss = min_loss_here;
      best_one = one;
      best_two = best_here;
    }
  }
  if (min_loss == kNever) {
    return absl::InvalidArgumentError(
        "expected ways that follow one another with growing size, found a size that was measured in no way that is "
        "allowed there");
  }
  AllReduceCrossovers crossovers;
  crossovers.max_one_shot_bytes = best_one == 0 ? 0 : measured[best_one - 1].bytes;
  crossovers.max_two_shots_bytes = best_two == 0 ? 0 : measured[best_two - 1].bytes;
  return crossovers;
}

}  // namespace lockstep
