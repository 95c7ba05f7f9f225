// Measures the coverage of intervals: 4,000 sets of noisy points with known parameters for each kind of fit. 95 % of
// the intervals must contain the true value, within 2 %. A rate of 95 % over so many trials has a standard error of
// sqrt(0.95 * 0.05 / 4000) = 0.34 %, so a correct interval is six standard errors from failing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/collectives/piecewise_alpha_beta.h"
#include "lib/scaling/karp_flatt.h"
#include "lib/scaling/scaling_laws.h"
#include "lib/statistics/least_squares.h"

namespace lockstep {
namespace {

constexpr int kTrials = 4000;
constexpr double kConfidence = 0.95;

class Share {
 public:
  explicit Share(std::string name) : name_(std::move(name)) {}
  ~Share() {
    const double share = static_cast<double>(held_) / trials_;
    std::printf("%-45s %5.1f %% of %d\n", name_.c_str(), 100 * share, trials_);
    EXPECT_EQ(trials_, kTrials) << name_;
    EXPECT_GE(share, 0.93) << name_;
    EXPECT_LE(share, 0.97) << name_;
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  void Count(const std::optional<Interval>& interval, double truth) {
    ASSERT_TRUE(interval.has_value()) << name_;
    ++trials_;
    held_ += interval->low <= truth && truth <= interval->high ? 1 : 0;
  }

 private:
  const std::string name_;
  int trials_ = 0;
  int held_ = 0;
};

TEST(FitCoverageTest, LinearFit) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 1);
  Share intercept("line, intercept"), slope("line, slope"), mean("line, mean at 7"),
      next("line, next observation at 7");
  for (int trial = 0; trial < kTrials; ++trial) {
    LeastSquaresProblem problem;
    for (int x = 0; x < 6; ++x) {
      const double deviation = 0.1 * (1 + x);
      problem.rows.push_back({1, static_cast<double>(x)});
      problem.values.push_back(2 + 3 * x + deviation * noise(random));
      problem.weights.push_back(1 / (deviation * deviation));
    }
    const auto fit = FitLeastSquares(problem);
    ASSERT_TRUE(fit.ok());
    intercept.Count(ParameterInterval(*fit, 0, kConfidence), 2);
    slope.Count(ParameterInterval(*fit, 1, kConfidence), 3);
    mean.Count(MeanInterval(*fit, {1, 7}, kConfidence), 23);
    next.Count(PredictionInterval(*fit, {1, 7}, 1 / 0.64, kConfidence), 23 + 0.8 * noise(random));
  }
}

// Three protocols with jumps, three sizes per factor of ten, 3 % noise.
double ThreeProtocols(double size) {
  if (size < 3e4) {
    return 5e-6 + size / 2e9;
  }
  return size < 3e6 ? 4e-5 + size / 50e9 : 1.5e-4 + size / 200e9;
}

TEST(FitCoverageTest, PiecewiseAlphaBeta) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.03);
  Share first_alpha("piecewise, first alpha"), first_beta("piecewise, first beta"), last_alpha("piecewise, last alpha"),
      last_beta("piecewise, last beta"), small("piecewise, next time of 5 kB"),
      middle("piecewise, next time of 500 kB"), large("piecewise, next time of 500 MB");
  int right_pieces = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TimedSize> times;
    for (double size = 1e3; size < 1.1e9; size *= std::cbrt(10.0)) {
      times.push_back({size, ThreeProtocols(size) * (1 + noise(random))});
    }
    const auto fit = FitPiecewiseAlphaBeta(times, 4, kConfidence);
    ASSERT_TRUE(fit.ok());
    right_pieces += fit->pieces.size() == 3 ? 1 : 0;
    first_alpha.Count(fit->pieces.front().alpha_interval, 5e-6);
    first_beta.Count(fit->pieces.front().beta_interval, 1 / 2e9);
    last_alpha.Count(fit->pieces.back().alpha_interval, 1.5e-4);
    last_beta.Count(fit->pieces.back().beta_interval, 1 / 200e9);
    small.Count(PredictTime(*fit, 5e3).interval, ThreeProtocols(5e3) * (1 + noise(random)));
    middle.Count(PredictTime(*fit, 5e5).interval, ThreeProtocols(5e5) * (1 + noise(random)));
    large.Count(PredictTime(*fit, 5e8).interval, ThreeProtocols(5e8) * (1 + noise(random)));
  }
  std::printf("three pieces found in %d of %d\n", right_pieces, kTrials);
}

// NCCL's own model of a ring of four Hoppers: protocols that meet, the last two nearly alike. Noisy times do not
// determine where one ends, so only predictions are counted.
double MeetingProtocols(double size) {
  return std::min({10.2e-6 + size / 94e9, 25.4e-6 + size / 227e9, 28.8e-6 + size / 247e9});
}

TEST(FitCoverageTest, ProtocolsThatMeet) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.02);
  Share small("meeting pieces, next time of 5 kB"), middle("meeting pieces, next time of 5 MB"),
      large("meeting pieces, next time of 500 MB");
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TimedSize> times;
    for (double size = 1 << 10; size <= 1 << 30; size *= 2) {
      times.push_back({size, MeetingProtocols(size) * (1 + noise(random))});
    }
    const auto fit = FitPiecewiseAlphaBeta(times, 4, kConfidence);
    ASSERT_TRUE(fit.ok());
    small.Count(PredictTime(*fit, 5e3).interval, MeetingProtocols(5e3) * (1 + noise(random)));
    middle.Count(PredictTime(*fit, 5e6).interval, MeetingProtocols(5e6) * (1 + noise(random)));
    large.Count(PredictTime(*fit, 5e8).interval, MeetingProtocols(5e8) * (1 + noise(random)));
  }
}

// 2 % noise on each point.
std::vector<ScalingPoint> NoisyScaling(const std::vector<uint32_t>& ranks, uint32_t batch, double g, double a, double b,
                                       std::mt19937_64* random) {
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<ScalingPoint> points;
  for (const uint32_t n : ranks) {
    points.push_back({n, batch, {g * n / (1 + a * (n - 1.0) + b * n * (n - 1.0)) * (1 + noise(*random))}});
  }
  return points;
}

TEST(FitCoverageTest, Amdahl) {
  std::mt19937_64 random(4);
  Share one_device("Amdahl, one device"), serial("Amdahl, serial fraction"), next("Amdahl, next throughput of 16");
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto fit =
        FitScalingLaw(ScalingLaw::kAmdahl, NoisyScaling({1, 2, 4, 8}, 32, 1000, 0.08, 0, &random), kConfidence);
    ASSERT_TRUE(fit.ok());
    one_device.Count(fit->one_device.at(32).interval, 1000);
    serial.Count(fit->serial.interval, 0.08);
    const auto predicted = PredictThroughput(*fit, 32, 16, OutsideMeasured::kPredicted);
    ASSERT_TRUE(predicted.ok());
    next.Count(predicted->interval, NoisyScaling({16}, 32, 1000, 0.08, 0, &random)[0].throughput[0]);
  }
}

TEST(FitCoverageTest, Universal) {
  std::mt19937_64 random(5);
  Share one_device("universal, one device"), serial("universal, contention"), coherency("universal, coherency"),
      peak("universal, N at the peak"), next("universal, next throughput of 64");
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto fit = FitScalingLaw(ScalingLaw::kUniversal,
                                   NoisyScaling({1, 2, 4, 8, 16, 32}, 32, 1000, 0.03, 0.001, &random), kConfidence);
    ASSERT_TRUE(fit.ok());
    one_device.Count(fit->one_device.at(32).interval, 1000);
    serial.Count(fit->serial.interval, 0.03);
    coherency.Count(fit->coherency.interval, 0.001);
    ASSERT_TRUE(fit->peak_ranks.has_value());
    peak.Count(fit->peak_ranks->interval, std::sqrt(0.97 / 0.001));
    const auto predicted = PredictThroughput(*fit, 32, 64, OutsideMeasured::kPredicted);
    ASSERT_TRUE(predicted.ok());
    next.Count(predicted->interval, NoisyScaling({64}, 32, 1000, 0.03, 0.001, &random)[0].throughput[0]);
  }
}

// One, two and four devices at three batches: nine points, five parameters.
TEST(FitCoverageTest, UniversalOfThreeBatches) {
  std::mt19937_64 random(6);
  Share serial("three batches, contention"), coherency("three batches, coherency"), next("three batches, next of 8");
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<ScalingPoint> points;
    for (const uint32_t batch : {32, 128, 512}) {
      const auto more = NoisyScaling({1, 2, 4}, batch, 10.0 * batch, 0.05, 0.02, &random);
      points.insert(points.end(), more.begin(), more.end());
    }
    const auto fit = FitScalingLaw(ScalingLaw::kUniversal, points, kConfidence);
    ASSERT_TRUE(fit.ok());
    serial.Count(fit->serial.interval, 0.05);
    coherency.Count(fit->coherency.interval, 0.02);
    const auto predicted = PredictThroughput(*fit, 128, 8, OutsideMeasured::kPredicted);
    ASSERT_TRUE(predicted.ok());
    next.Count(predicted->interval, NoisyScaling({8}, 128, 1280, 0.05, 0.02, &random)[0].throughput[0]);
  }
}

TEST(FitCoverageTest, KarpFlatt) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  Share share("Karp-Flatt of 5 and 5 repeats");
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> base, seconds;
    for (int repeat = 0; repeat < 5; ++repeat) {
      base.push_back(12 * (1 + noise(random)));
      seconds.push_back(4 * (1 + noise(random)));
    }
    const auto fraction = KarpFlattFraction(4, base, seconds, kConfidence);
    ASSERT_TRUE(fraction.ok());
    share.Count(fraction->interval, 1.0 / 9);  // S = 3
  }
}

}  // namespace
}  // namespace lockstep
