#include "lib/int8/entropy_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinShare = 0.9;    // least share of the counts in the bins that are kept
constexpr double kRounding = 1e-12;  // tolerance within which two divergences count as equal

// Running totals over bins: entry b covers the bins before b.
struct Totals {
  explicit Totals(const std::vector<uint64_t>& counts) : count(1), occupied(1), count_log_count(1) {
    for (const uint64_t n : counts) {
      const auto value = static_cast<double>(n);
      count.push_back(count.back() + value);
      occupied.push_back(occupied.back() + (n > 0 ? 1 : 0));
      count_log_count.push_back(count_log_count.back() + (n > 0 ? value * std::log(value) : 0));
    }
  }

  std::vector<double> count;
  std::vector<double> occupied;         // bins with a count
  std::vector<double> count_log_count;  // n log n
};

// Returns the sum over bins of P * log Q, both in counts. The outliers are in the last bin.
double CrossTerm(const Totals& totals, size_t bins, size_t levels, double outliers) {
  double sum = 0, log_of_last = 0;
  size_t begin = 0;
  for (size_t level = 0; level < levels; ++level) {
    const size_t end = ((level + 1) * bins + levels - 1) / levels;  // the first bin of the next level
    if (const double count = totals.count[end] - totals.count[begin]; count > 0) {
      log_of_last = std::log(count / (totals.occupied[end] - totals.occupied[begin]));
      sum += count * log_of_last;
    }
    begin = end;
  }
  return sum + outliers * log_of_last;
}

// Returns D(bins). With p, q in counts and their sums N and M: sum of (p / N) log((p / N) / (q / M)).
double Divergence(const Totals& totals, size_t bins, size_t levels) {
  const double all = totals.count.back(), kept = totals.count[bins], outliers = all - kept;
  const double last = kept - totals.count[bins - 1];
  if (last == 0 || kept < kMinShare * all) {
    return kInfinity;
  }
  const double own_term = totals.count_log_count[bins - 1] + (last + outliers) * std::log(last + outliers);
  return (own_term - CrossTerm(totals, bins, levels, outliers)) / all - std::log(all) + std::log(kept);
}

}  // namespace

size_t MinDivergenceBins(const std::vector<uint64_t>& counts, int levels) {
  const Totals totals(counts);
  size_t best = counts.size();
  double min_divergence = kInfinity;
  for (size_t bins = levels; bins <= counts.size(); ++bins) {
    if (const double divergence = Divergence(totals, bins, levels); divergence <= min_divergence + kRounding) {
      min_divergence = std::min(min_divergence, divergence);
      best = bins;
    }
  }
  return best;
}

}  // namespace lockstep
