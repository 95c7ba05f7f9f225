// Two runs of one point: faster, slower, or cannot tell. Pure functions, any thread.
//
// Epochs of one run share what made this run what it is: the machine, its clocks, where memory lay. So the spread between
// runs counts beside that of epochs within each, and many epochs of two runs do not tell more than two runs can.
#ifndef LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
#define LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_

#include <string>
#include <vector>

namespace lockstep {

// How much the means of two runs of one point differ with nothing changed.
struct RunSpread {
  double deviation = 0;           // standard deviation of one run's mean, as a fraction of it
  double degrees_of_freedom = 0;  // with which it was estimated; infinite: stated, not estimated here
  bool holds_epochs = false;      // it was taken from means of epochs, and so holds the spread of epochs, too
  std::string source;
};

enum class TimeVerdict { kCannotTell, kFaster, kSlower };

// What the second run is, against the first.
struct TimeComparison {
  TimeVerdict verdict = TimeVerdict::kCannotTell;
  double ratio = 0;  // of geometric means, second / first
  double low = 0;    // the interval of `ratio`; infinite where one epoch has no spread
  double high = 0;
};

// From two runs on one device: standard deviation 0.0045, infinite degrees of freedom. From two devices: a difference of
// up to 3 %, all of it as likely, whose standard deviation is 0.03 / sqrt(3). time_comparison.cc has the sources.
RunSpread StatedRunSpread(bool same_device);

// From times of one point (or several) in each of several runs with nothing changed: `logs[p][r]` is the logarithm of the
// mean of point p in run r. The deviation is pooled over points; the degrees of freedom are runs - 1, because what a run
// is it is at all its points. Two runs at least, and one point.
RunSpread MeasuredRunSpread(const std::vector<std::vector<double>>& logs, const std::string& source);

// Welch's t-test on logarithms, with the spread between runs as a third and fourth part of the variance and the degrees of
// freedom of Welch and Satterthwaite. Times are above 0, in seconds, one an epoch; each run has at least one.
TimeComparison CompareTimes(const std::vector<double>& first, const std::vector<double>& second,
                            const RunSpread& spread, double confidence);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_TIME_COMPARISON_H_
