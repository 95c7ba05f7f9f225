// Runs of one point by two programs: faster, slower, or inconclusive. Pure functions, any thread.
//
// A run is one process. Its epochs share the conditions of that run: the machine, its clocks, the placement of memory.
// So the spread of epochs does not predict another process, and the spread between runs is estimated from several runs
// only.
#ifndef LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
#define LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_

#include <cstdint>
#include <vector>

namespace lockstep {

// Spread of the means of runs of one program with nothing changed.
struct RunSpread {
  double deviation = 0;           // standard deviation of one run's mean, as a fraction of the mean
  double degrees_of_freedom = 0;  // degrees of freedom of the estimate; 0: no program was run twice, so the deviation
                                  // is not known
};

// Standard deviation for planning before any was measured: two runs of one program on one H200 took 0.793 and 0.813 s,
// ln(0.813 / 0.793) / sqrt(2) = 1.76 %.
inline constexpr double kPlannedDeviation = 0.0176;

// Largest number of runs of each program that RunsNeeded() tries.
inline constexpr uint32_t kMaxRunsNeeded = 100;

enum class TimeVerdict { kInconclusive, kFaster, kSlower };

// Verdict on the second program compared with the first.
struct TimeComparison {
  TimeVerdict verdict = TimeVerdict::kInconclusive;
  double ratio = 0;  // ratio of geometric means over runs, second / first
  double low = 0;    // interval of `ratio`; 0 and infinity if the spread between runs is not known
  double high = 0;
};

// Logarithms of the means of one point in all runs of one program.
using RunLogs = std::vector<double>;

// Returns the spread of runs about the mean of their program, pooled over programs and points. `programs[g]` holds the
// points of program g. A program's degrees of freedom are its largest number of runs - 1, because a run that is slow is
// slow at all its points.
RunSpread SpreadBetweenRuns(const std::vector<std::vector<RunLogs>>& programs);

// Returns the standard deviation of logarithms of epochs about the mean of their run, pooled over `runs`; 0 if no run
// has two epochs. All times must be positive.
double DeviationOfEpochs(const std::vector<std::vector<double>>& runs);

// Returns the standard deviation of one run's mean for planning: the measured one, or else the larger of
// kPlannedDeviation and `of_epochs`, the deviation of epochs within runs. `of_epochs` is not divided by the number of
// epochs, because the epochs of a run on a noisy machine depend on each other.
double PlanningDeviation(const RunSpread& spread, double of_epochs);

enum class MeasuredOn { kSameDevice, kTwoDevices };

// Runs Welch's t-test on logarithms, with the degrees of freedom of Welch and Satterthwaite. Both sides must have at
// least one run. If the two were not measured on the same device, a difference between devices of up to 3 % is part of
// the variance.
TimeComparison CompareRunLogs(const RunLogs& first, const RunLogs& second, const RunSpread& spread, MeasuredOn devices,
                              double confidence);

// Returns the number of runs of each of the two programs that confirms a difference in times by `ratio`, if runs differ
// by `deviation`; at least 2. Returns 0 if kMaxRunsNeeded runs are too few, or if no number suffices, as on two
// devices.
uint32_t RunsNeeded(double ratio, double deviation, MeasuredOn devices, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
