// Stage of `report --compare`: compares two records of runs, point by point.
#ifndef LOCKSTEP_LIB_COMPARISON_COMPARE_H_
#define LOCKSTEP_LIB_COMPARISON_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/comparison/time_comparison.h"
#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Confidence c that no point of a comparison is called faster or slower by chance: each of n points is tested with
// confidence 1 - (1 - c) / n (Bonferroni).
inline constexpr double kCompareConfidence = 0.95;

// A point that runs of both programs contain.
struct ComparedPoint {
  std::string name;          // "batch 128"
  double first_seconds = 0;  // geometric means over runs of their epochs' means, with data loading
  double second_seconds = 0;
  TimeComparison comparison;
  // Runs of each program that are needed to confirm this difference, if the verdict is "inconclusive"; 0: see
  // RunsNeeded().
  uint32_t runs_needed = 0;
};

// All runs of one of the two programs.
struct ComparedSide {
  std::vector<std::string> files;  // paths as given, "standard input" for "-"; the run of --compare comes first
  // Version and settings in which this program differs from the other: "build 0123456789ab (0.1.0, ...)",
  // "overlap=false"; empty: both programs are of one build with the same settings.
  std::vector<std::string> distinction;
};

struct RunComparison {
  std::vector<ComparedPoint> points;     // points in the first run's order
  std::vector<std::string> only_first;   // points of which only the first run has times
  std::vector<std::string> only_second;  // points of which only the second run has times
  uint32_t first_runs = 1;               // number of runs of each program
  uint32_t second_runs = 1;
  bool same_device = false;  // true: all runs were measured on one device
  RunSpread spread;
  double epoch_deviation = 0;  // see DeviationOfEpochs(), over all runs and points
  // True if there are further runs and all runs are of one version with the same settings. Then nothing is compared:
  // `points` and the names left out are empty, and the further runs are listed with the first.
  bool one_version = false;
  ComparedSide first_side;
  ComparedSide second_side;
};

// Compares the one sweep or scale record of `first` with that of `second`. The records of `more` are further runs. A
// run of `more` belongs to the program with its version (lib/comparison/version.h) and settings.
// FailedPrecondition: not one record in each of `first` and `second`, or records of different kinds; other conditions
// (lib/scaling/run_conditions.h), whose differences are printed on standard error if there are several; no common
// point; a run of `more` by a third program, or with the times of another run, which is a copy.
absl::StatusOr<RunComparison> CompareRuns(const LabRecords& first, const LabRecords& second, const LabRecords& more);

// Returns the distinction of a side in words, "backend=gloo, overlap=false". Returns "same build, ... and settings" if
// there is none.
std::string DistinctionText(const ComparedSide& side);

// Returns one line per side: "before       a.rec, a_2.rec (overlap=false)".
std::string SidesText(const RunComparison& comparison);

// Returns the number of runs of each program that would confirm a ratio of times, as RunsNeeded(), with the
// PlanningDeviation() of the runs.
uint32_t RunsThatDecide(const RunComparison& comparison, double ratio);

// Returns "6 more runs before and 4 more after", if `runs_needed` of each program are needed.
std::string FurtherRunsText(const RunComparison& comparison, uint32_t runs_needed);

// Returns "; 7 runs of each would decide: 6 more before and 6 more after" for an inconclusive point, otherwise "".
std::string UndecidedText(const RunComparison& comparison, const ComparedPoint& point);

// Returns "faster", "slower" or "inconclusive".
const char* TimeVerdictWord(TimeVerdict verdict);

// Returns what is left out, one line per cause with a count and the first name: "batch 32: only the run before has
// times of it", "30 points, first batch 32: only the run after has times of them".
std::vector<std::string> LeftOutTexts(const RunComparison& comparison);

// Returns the test, the numbers of runs and the spread between runs, one per line.
std::string TestText(const RunComparison& comparison);

// Returns SidesText, one line per point, then TestText.
std::string ComparisonText(const RunComparison& comparison);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_COMPARE_H_
