#include "lib/lab_records/seed_difference.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/statistics/mean.h"
#include "lib/statistics/mean_difference.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

std::vector<double> ValuesOf(const proto::Samples& samples) { return {samples.value().begin(), samples.value().end()}; }

std::string WhyUntested(size_t seeds) {
  return seeds == 0 ? "a row was not trained" : seeds == 1 ? "one seed has no spread" : "equal seeds have no spread";
}

}  // namespace

std::string SeedDifference::Reason() const {
  if (!untested.empty()) {
    return untested;
  }
  const std::string corrected =
      comparisons > 1 ? absl::StrCat(" after Holm's correction for ", comparisons, " comparisons") : "";
  return absl::StrCat("within the spread of ", seeds, " seeds, ", FormatPValue(adjusted_p), corrected);
}

std::vector<SeedDifference> CompareSeeds(const std::vector<SeedPair>& pairs) {
  std::vector<SeedDifference> differences;
  std::vector<double> p;
  for (const SeedPair& pair : pairs) {
    const std::vector<double> first = ValuesOf(pair.first), second = ValuesOf(pair.second);
    SeedDifference& difference = differences.emplace_back();
    difference.seeds = std::min(first.size(), second.size());
    difference.mean = difference.seeds == 0 ? 0 : Mean(first) - Mean(second);
    if (const std::optional<MeanDifference> test = WelchTest(first, second)) {
      p.push_back(test->p);
    } else {
      difference.untested = WhyUntested(difference.seeds);
    }
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  auto next = adjusted.begin();
  for (SeedDifference& difference : differences) {
    difference.comparisons = p.size();
    difference.adjusted_p = difference.untested.empty() ? *next++ : 1;
  }
  return differences;
}

SeedDifference CompareSeeds(const proto::Samples& first, const proto::Samples& second) {
  return CompareSeeds(std::vector<SeedPair>{{first, second}}).front();
}

std::string FormatPValue(double p) { return p < 0.001 ? "p < 0.001" : absl::StrCat("p = ", FormatNumber(p, 2)); }

}  // namespace lockstep
