// The stage of `report --compare`: two records of runs, point by point.
#ifndef LOCKSTEP_LIB_COMPARISON_COMPARE_H_
#define LOCKSTEP_LIB_COMPARISON_COMPARE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/comparison/time_comparison.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Confidence that no point of a comparison is called faster or slower by chance: each of n points has 1 - (1 - it) / n
// (Bonferroni).
inline constexpr double kCompareConfidence = 0.95;

// A point that both runs have.
struct ComparedPoint {
  std::string name;          // "batch 128"
  double first_seconds = 0;  // means over epochs, with data loading
  double second_seconds = 0;
  TimeComparison comparison;
};

struct RunComparison {
  std::vector<ComparedPoint> points;  // in the first run's order
  std::vector<std::string> left_out;  // points of one run only
  RunSpread spread;
};

// The one sweep or scale record of `first` against that of `second`; those of `more` are further runs like the first, from
// which the spread between runs is taken where they and the second are of one device, and else it is stated.
// FailedPrecondition: not one record each, of one kind; other conditions (WhyConditionsDiffer); no
// point in common; a run of `more` that has the times of another, which is a copy.
absl::StatusOr<RunComparison> CompareRuns(const LabRecords& first, const LabRecords& second, const LabRecords& more);

// A line for each point, then what was tested and where the spread is from.
std::string ComparisonText(const RunComparison& comparison);

// Reads the files and prints the text on standard output. InvalidArgument: not two files. Others as ReadLabRecords' and
// CompareRuns'.
absl::Status RunCompare(const std::vector<std::string>& files, const std::vector<std::string>& more);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_COMPARE_H_
