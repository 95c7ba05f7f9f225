#include "lib/lab_records/best_batch.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/statistics/spread.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

// Returns the times of `slow` divided by those of `fast`; no value if a time is not above 0.
std::optional<Spread> TimesAsFast(const proto::SweepPoint& slow, const proto::SweepPoint& fast) {
  return Quotient(*SpreadOf(slow.step_seconds()), *SpreadOf(fast.step_seconds()));
}

bool AreDistinguishable(const proto::SweepPoint& slow, const proto::SweepPoint& fast) {
  const std::optional<Spread> ratio = TimesAsFast(slow, fast);
  return ratio.has_value() && ratio->low > 1;
}

bool IsRepeated(const proto::SweepPoint* point) { return point->step_seconds().value_size() > 1; }

double MeanStep(const proto::SweepPoint& point) { return MeanAndDeviationOf(point.step_seconds()).mean; }

}  // namespace

const proto::SweepPoint& FastestPoint(const std::vector<const proto::SweepPoint*>& points) {
  return **std::min_element(points.begin(), points.end(), [](const proto::SweepPoint* a, const proto::SweepPoint* b) {
    return MeanStep(*a) < MeanStep(*b);
  });
}

std::string BestBatchText(const std::vector<const proto::SweepPoint*>& points) {
  if (points.size() < 2) {
    return "";
  }
  if (!std::all_of(points.begin(), points.end(), IsRepeated)) {
    return "Batches cannot be compared after one timed epoch each; --repeats=5 measures the spread.";
  }
  const proto::SweepPoint& best = FastestPoint(points);
  std::vector<std::string> equal;
  for (const proto::SweepPoint* point : points) {
    if (point != &best && !AreDistinguishable(*point, best)) {
      equal.push_back(FormatCount(point->batch_size()));
    }
  }
  const std::string name = FormatCount(best.batch_size());
  const proto::SweepPoint& first = *points.front();
  const std::optional<Spread> ratio = TimesAsFast(first, best);
  const std::string than_first = &first == &best || !AreDistinguishable(first, best)
                                     ? ""
                                     : absl::StrCat(FormatInterval(ratio->mean, ratio->low, ratio->high),
                                                    " times as fast as ", FormatCount(first.batch_size()));
  if (equal.empty()) {
    return absl::StrCat("The best batch is ", name, than_first.empty() ? "" : ": ", than_first, ".");
  }
  equal.insert(equal.begin(), name);
  return absl::StrCat("The times are too noisy to name a fastest batch: the epochs of batches ", JoinAnd(equal),
                      " overlap.", than_first.empty() ? "" : absl::StrCat(" Batch ", name, " is ", than_first, "."));
}

}  // namespace lockstep
