#include "lib/comparison/slowdown.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "lib/base/readable_line.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr double kMaxPercent = 1000;

std::string Percent(double ratio) { return absl::StrFormat("%.1f %%", (ratio - 1) * 100); }

std::string LimitText(double limit) { return absl::StrFormat("%.3g %%", limit * 100); }

// Returns "measure 6 more runs before and 4 more after to decide a slowdown by 5 %".
std::string MoreRunsText(const RunComparison& comparison, const SlowdownCheck& check, double limit) {
  if (check.runs_needed == 0) {
    return absl::StrCat("even ", kMaxRunsNeeded, " runs of each program would not decide a slowdown by ",
                        LimitText(limit));
  }
  return absl::StrCat("measure ", FurtherRunsText(comparison, check.runs_needed), " to decide a slowdown by ",
                      LimitText(limit));
}

}  // namespace

absl::StatusOr<double> ParseSlowdownLimit(absl::string_view text) {
  absl::string_view number = absl::StripAsciiWhitespace(text);
  double percent = 0;
  const bool has_sign = absl::ConsumeSuffix(&number, "%");
  if (!has_sign || !absl::SimpleAtod(absl::StripAsciiWhitespace(number), &percent) ||
      !(percent >= 0 && percent <= kMaxPercent)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fail_if_slower=", text, ": expected a percentage from 0% to 1000%, e.g. --fail_if_slower=5%"));
  }
  return percent / 100;
}

bool IsTooSlow(const TimeComparison& comparison, double limit) {
  return comparison.verdict == TimeVerdict::kSlower && comparison.ratio > 1 + limit;
}

SlowdownCheck CheckSlowdown(const RunComparison& comparison, double limit) {
  SlowdownCheck check;
  for (const ComparedPoint& point : comparison.points) {
    if (IsTooSlow(point.comparison, limit)) {
      check.failed.push_back(&point);
    }
    check.inconclusive += point.comparison.verdict == TimeVerdict::kInconclusive ? 1 : 0;
  }
  check.runs_needed = RunsThatDecide(comparison, 1 + limit);
  return check;
}

std::string SlowdownText(const RunComparison& comparison, double limit) {
  const SlowdownCheck check = CheckSlowdown(comparison, limit);
  std::string text;
  for (const ComparedPoint* point : check.failed) {
    const TimeComparison& times = point->comparison;
    absl::StrAppend(&text, "FAILED ", ReadableLine(point->name), ": slower by ", Percent(times.ratio), " (",
                    Percent(times.low), " to ", Percent(times.high), "), more than ", LimitText(limit), "\n");
  }
  if (check.inconclusive > 0) {
    absl::StrAppend(&text, "inconclusive: ", check.inconclusive, " of ", CountOf(comparison.points.size(), "point"),
                    ", from ", CountOf(comparison.first_runs, "run"), " before and ", comparison.second_runs,
                    " after; inconclusive points pass; ", MoreRunsText(comparison, check, limit), "\n");
  }
  return text;
}

absl::Status SlowdownStatus(const RunComparison& comparison, double limit) {
  const size_t failed = CheckSlowdown(comparison, limit).failed.size();
  return failed == 0 ? absl::OkStatus()
                     : absl::AbortedError(absl::StrCat("--fail_if_slower: ", failed, " of ", comparison.points.size(),
                                                       comparison.points.size() == 1 ? " point is" : " points are",
                                                       " slower by more than ", LimitText(limit)));
}

}  // namespace lockstep
