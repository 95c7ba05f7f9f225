// The stage of `report --compare`: two records of runs, point by point.
#ifndef LOCKSTEP_LIB_COMPARISON_COMPARE_H_
#define LOCKSTEP_LIB_COMPARISON_COMPARE_H_

#include <cstdint>
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

// A point that runs of both programs have.
struct ComparedPoint {
  std::string name;          // "batch 128"
  double first_seconds = 0;  // geometric means over runs of their epochs' means, with data loading
  double second_seconds = 0;
  TimeComparison comparison;
  uint32_t runs_needed = 0;  // of each program to tell this difference, where it cannot be told; 0: see RunsNeeded()
};

struct RunComparison {
  std::vector<ComparedPoint> points;  // in the first run's order
  std::vector<std::string> left_out;  // points of one of the two runs only
  uint32_t first_runs = 1;            // of each program
  uint32_t second_runs = 1;
  bool same_device = false;  // both were measured on one
  RunSpread spread;
};

// Compares the one sweep or scale record of `first` with that of `second`. Those of `more` are further runs: of the second's
// program where the second has another program than the first and their build is the second's, else of the first's.
// FailedPrecondition: not one record each, of one kind; other conditions (WhyConditionsDiffer); no point in common; a run of
// `more` by a third program, or with the times of another run, which is a copy.
absl::StatusOr<RunComparison> CompareRuns(const LabRecords& first, const LabRecords& second, const LabRecords& more);

// A line for each point, then what was tested, what runs differ by, and how many are needed.
std::string ComparisonText(const RunComparison& comparison);

// Reads the files and prints the text on standard output. InvalidArgument: not two files. Others as ReadLabRecords' and
// CompareRuns'.
absl::Status RunCompare(const std::vector<std::string>& files, const std::vector<std::string>& more);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_COMPARE_H_
