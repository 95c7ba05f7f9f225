#include "lib/comparison/time_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two runs of one program on two machines differ by 0.2 to 0.9 % in six points, root of the mean square / sqrt(2)
// (ModelSpec.run_to_run_fraction in lib/proto/comm_model.proto; benchmarks/results, h200x2-fp32 and h200x4-fp32). No two
// runs on one machine are kept: it is taken for those, too, and is too much if anything.
constexpr double kSameDevice = 0.0045;

// "H200 of one kind differ by up to 3 %" (benchmarks/results/README.md).
constexpr double kDevicesDiffer = 0.03;

// A part of a variance, with what it is known by.
struct Part {
  double variance;
  double degrees_of_freedom;
};

struct LogMean {
  double mean = 0;
  Part part = {0, 0};  // of the mean, by the spread of its epochs
};

LogMean LogMeanOf(const std::vector<double>& times) {
  const auto count = static_cast<double>(times.size());
  LogMean result;
  for (const double time : times) {
    result.mean += std::log(time) / count;
  }
  double squares = 0;
  for (const double time : times) {
    squares += std::pow(std::log(time) - result.mean, 2);
  }
  result.part = count > 1 ? Part{squares / (count - 1) / count, count - 1} : Part{kInfinity, 1};
  return result;
}

// Half the interval of a number with a variance of these parts.
double HalfWidth(const std::vector<Part>& parts, double confidence) {
  double variance = 0, squares_by_freedom = 0;
  for (const Part& part : parts) {
    variance += part.variance;
    squares_by_freedom += part.variance * part.variance / part.degrees_of_freedom;
  }
  if (variance == 0 || !std::isfinite(variance)) {
    return variance;
  }
  // Beyond so many a Student's t is normal in all digits that are shown.
  const double freedom = std::min(variance * variance / std::max(squares_by_freedom, 1e-300), 1e6);
  return StudentTFactor(confidence, freedom) * std::sqrt(variance);
}

}  // namespace

RunSpread StatedRunSpread(bool same_device) {
  if (same_device) {
    return {kSameDevice, kInfinity, false,
            "stated, one device: 0.45 %, as runs on two machines differed (benchmarks/results, h200x2-fp32 and "
            "h200x4-fp32)"};
  }
  return {kDevicesDiffer / std::sqrt(3) / std::sqrt(2), kInfinity, false,
          "stated, two devices or not known to be one: devices of one kind differ by up to 3 % "
          "(benchmarks/results/README.md)"};
}

RunSpread MeasuredRunSpread(const std::vector<std::vector<double>>& logs, const std::string& source) {
  double squares = 0, count = 0, runs = 0;
  for (const std::vector<double>& point : logs) {
    double mean = 0;
    for (const double log : point) {
      mean += log / static_cast<double>(point.size());
    }
    for (const double log : point) {
      squares += (log - mean) * (log - mean);
    }
    count += static_cast<double>(point.size()) - 1;
    runs = std::max(runs, static_cast<double>(point.size()));
  }
  return {std::sqrt(squares / count), runs - 1, true, source};
}

TimeComparison CompareTimes(const std::vector<double>& first, const std::vector<double>& second,
                            const RunSpread& spread, double confidence) {
  const LogMean a = LogMeanOf(first), b = LogMeanOf(second);
  // Both runs' deviation is one number: its two parts are as uncertain as one.
  std::vector<Part> parts = {{2 * spread.deviation * spread.deviation, spread.degrees_of_freedom}};
  if (!spread.holds_epochs) {
    parts.push_back(a.part);
    parts.push_back(b.part);
  }
  const double half = HalfWidth(parts, confidence), difference = b.mean - a.mean;
  TimeComparison result;
  result.ratio = std::exp(difference);
  result.low = std::exp(difference - half);
  result.high = std::exp(difference + half);
  result.verdict = result.high < 1  ? TimeVerdict::kFaster
                   : result.low > 1 ? TimeVerdict::kSlower
                                    : TimeVerdict::kCannotTell;
  return result;
}

}  // namespace lockstep
