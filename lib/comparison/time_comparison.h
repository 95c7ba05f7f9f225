// Runs of one point by two programs: faster, slower, or cannot tell. Pure functions, any thread.
//
// A run is one process. Its epochs share what made this run what it is: the machine, its clocks, where memory lay. So the
// spread of epochs says nothing of another process, and the spread between runs is estimated from several runs alone.
#ifndef LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
#define LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_

#include <cstdint>
#include <vector>

namespace lockstep {

// How much the means of runs of one program differ with nothing changed.
struct RunSpread {
  double deviation = 0;           // standard deviation of one run's mean, as a fraction of it
  double degrees_of_freedom = 0;  // with which it was estimated; 0: no program was run twice, so it is not known
};

// Standard deviation to plan with before any was measured: two runs of one program on one H200 took 0.793 and 0.813 s,
// ln(0.813 / 0.793) / sqrt(2) = 1.76 %.
inline constexpr double kPlannedDeviation = 0.0176;

// Most runs of each program that RunsNeeded() looks at.
inline constexpr uint32_t kMaxRunsNeeded = 100;

enum class TimeVerdict { kCannotTell, kFaster, kSlower };

// What the second program is, against the first.
struct TimeComparison {
  TimeVerdict verdict = TimeVerdict::kCannotTell;
  double ratio = 0;  // of geometric means over runs, second / first
  double low = 0;    // the interval of `ratio`; 0 and infinite where the spread between runs is not known
  double high = 0;
};

// Logarithms of the means of one point in all runs of one program.
using RunLogs = std::vector<double>;

// Returns the spread of runs about the mean of their program, pooled over programs and points. `programs[g]` has the points of
// program g. A program's degrees of freedom are its most runs - 1, because what a run is it is at all its points.
RunSpread SpreadBetweenRuns(const std::vector<std::vector<RunLogs>>& programs);

// Welch's t-test on logarithms, with the degrees of freedom of Welch and Satterthwaite. Both sides have at least one run. If
// the two were not measured on the same device, a difference between devices of up to 3 % is a part of the variance.
TimeComparison CompareRunLogs(const RunLogs& first, const RunLogs& second, const RunSpread& spread, bool same_device,
                              double confidence);

// Returns how many runs of each of the two programs tell a difference in times by this ratio, if runs differ by `deviation`.
// Two at least. 0: kMaxRunsNeeded are too few, or no number is enough, as on two devices.
uint32_t RunsNeeded(double ratio, double deviation, bool same_device, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
