#include "lib/comparison/time_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/statistics/mean.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "H200 of one kind differ by up to 3 %" (benchmarks/results/README.md). A uniform distribution of the difference up to
// that limit has a variance of 0.03^2 / 3.
constexpr double kVarianceOfDevices = 0.03 * 0.03 / 3;

// Returns half the width of the interval of a difference between `first_runs` and `second_runs`.
double HalfWidth(const RunSpread& spread, double first_runs, double second_runs, MeasuredOn devices,
                 double confidence) {
  if (spread.degrees_of_freedom <= 0) {
    return kInfinity;
  }
  const double of_runs = spread.deviation * spread.deviation * (1 / first_runs + 1 / second_runs);
  const double variance = of_runs + (devices == MeasuredOn::kSameDevice ? 0 : kVarianceOfDevices);
  if (variance == 0 || !std::isfinite(variance)) {
    return variance;
  }
  // Welch and Satterthwaite: the variance of devices is stated, and so has no degrees of freedom. With more than 1e6
  // degrees of freedom, Student's t is normal in all printed digits.
  const double freedom =
      of_runs > 0 ? std::min(variance * variance / (of_runs * of_runs) * spread.degrees_of_freedom, 1e6) : 1e6;
  return StudentTFactor(confidence, freedom) * std::sqrt(variance);
}

}  // namespace

RunSpread SpreadBetweenRuns(const std::vector<std::vector<RunLogs>>& programs) {
  double squares = 0, count = 0;
  RunSpread spread;
  for (const std::vector<RunLogs>& points : programs) {
    size_t runs = 1;
    for (const RunLogs& logs : points) {
      const double mean = Mean(logs);
      for (const double log : logs) {
        squares += (log - mean) * (log - mean);
      }
      count += logs.empty() ? 0 : static_cast<double>(logs.size()) - 1;
      runs = std::max(runs, logs.size());
    }
    spread.degrees_of_freedom += static_cast<double>(runs) - 1;
  }
  spread.deviation = count > 0 ? std::sqrt(squares / count) : 0;
  return spread;
}

double DeviationOfEpochs(const std::vector<std::vector<double>>& runs) {
  std::vector<RunLogs> all_logs;
  for (const std::vector<double>& epochs : runs) {
    RunLogs& logs = all_logs.emplace_back();
    for (const double seconds : epochs) {
      logs.push_back(std::log(seconds));
    }
  }
  return SpreadBetweenRuns({all_logs}).deviation;
}

double PlanningDeviation(const RunSpread& spread, double of_epochs) {
  return spread.degrees_of_freedom > 0 ? spread.deviation : std::max(kPlannedDeviation, of_epochs);
}

TimeComparison CompareRunLogs(const RunLogs& first, const RunLogs& second, const RunSpread& spread, MeasuredOn devices,
                              double confidence) {
  const double difference = Mean(second) - Mean(first);
  const double half =
      HalfWidth(spread, static_cast<double>(first.size()), static_cast<double>(second.size()), devices, confidence);
  TimeComparison result;
  result.ratio = std::exp(difference);
  result.low = std::exp(difference - half);
  result.high = std::exp(difference + half);
  result.verdict = result.high < 1  ? TimeVerdict::kFaster
                   : result.low > 1 ? TimeVerdict::kSlower
                                    : TimeVerdict::kInconclusive;
  return result;
}

uint32_t RunsNeeded(double ratio, double deviation, MeasuredOn devices, double confidence) {
  const double difference = std::abs(std::log(ratio));
  const auto decides = [&](uint32_t runs) {
    return HalfWidth({deviation, 2.0 * runs - 2}, runs, runs, devices, confidence) < difference;
  };
  if (!decides(kMaxRunsNeeded)) {
    return 0;
  }
  uint32_t low = 2, high = kMaxRunsNeeded;  // more runs are more precise, so the first that decide are searched for
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (decides(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace lockstep
