// Stage of `report --compare`: reads the records, prints and writes the comparison, and decides whether it fails.
#ifndef LOCKSTEP_LIB_COMPARISON_RUN_COMPARE_H_
#define LOCKSTEP_LIB_COMPARISON_RUN_COMPARE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "lib/comparison/comparison_page.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

struct CompareOptions {
  std::vector<std::string> files;         // two records: before, after
  std::vector<std::string> further_runs;  // further records of the two programs
  std::vector<ComparisonOutput> outputs;  // pages; empty: only the text on standard output
  absl::optional<double> slowdown_limit;  // --fail_if_slower as a fraction (slowdown.h); unset: never fails
  Force force = Force::kNo;               // kYes: replace any file; otherwise only earlier comparisons
};

// Prints ComparisonText and SlowdownText on standard output, and writes the pages. If the path of a page is "-", this
// page is alone on standard output, and SlowdownText is printed as warnings on standard error. Errors:
// - InvalidArgument: `files` does not have two elements; a page would replace a file that is not a comparison.
// - Aborted: a point is slower by more than the limit. Everything is printed and written before.
// - Others: those of ReadLabRecords and CompareRuns.
absl::Status RunCompare(const CompareOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_RUN_COMPARE_H_
