#include "lib/statistics/paired_proportions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

double Binomial(uint64_t n, uint64_t k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

TEST(McNemarExactPTest, ByHand) {
  EXPECT_EQ(McNemarExactP({0, 0, 100}), 1);
  EXPECT_EQ(McNemarExactP({5, 5, 100}), 1);
  EXPECT_DOUBLE_EQ(McNemarExactP({1, 0, 100}), 1);             // 2 * 1/2
  EXPECT_DOUBLE_EQ(McNemarExactP({0, 5, 100}), 2 / 32.0);      // all five one way
  EXPECT_DOUBLE_EQ(McNemarExactP({7, 1, 21}), 2 * 9 / 256.0);  // (1 + 8) of 256
  EXPECT_DOUBLE_EQ(McNemarExactP({1, 7, 21}), 2 * 9 / 256.0);
}

// Complete response before and after consolidation therapy: Fagerland, Lydersen and Laake, "Statistical analysis of
// contingency tables" (2017), chapter 8.
TEST(McNemarExactPTest, AsPublished) { EXPECT_NEAR(McNemarExactP({16, 6, 161}), 0.052479, 5e-7); }

TEST(McNemarExactPTest, SumsTheTails) {
  for (uint64_t lost = 0; lost <= 30; ++lost) {
    double p = 0;
    for (uint64_t k = 0; k <= 30; ++k) {
      const bool as_uneven = std::max(k, 30 - k) >= std::max(lost, 30 - lost);
      p += as_uneven ? Binomial(30, k) / std::exp2(30) : 0;
    }
    EXPECT_NEAR(McNemarExactP({lost, 30 - lost, 1000}), p, 1e-12) << lost;
  }
}

TEST(McNemarExactPTest, ManyChangesAreAsTheNormalLimit) {
  // z = (5200 - 4800) / sqrt(10000) = 4, 3.99 with the correction for continuity.
  EXPECT_NEAR(McNemarExactP({4800, 5200, 100000}), std::erfc(3.99 / std::sqrt(2.0)), 1e-6);
}

// From the same source, and its first example.
TEST(PairedDifferenceIntervalTest, AsPublished) {
  const Interval therapy = PairedDifferenceInterval({16, 6, 161});
  EXPECT_NEAR(therapy.low, -0.1240, 5e-5);
  EXPECT_NEAR(therapy.high, -0.0054, 5e-5);
  const Interval airways = PairedDifferenceInterval({7, 1, 21});
  EXPECT_NEAR(airways.low, -0.517, 5e-4);
  EXPECT_NEAR(airways.high, -0.026, 5e-4);
}

TEST(PairedDifferenceIntervalTest, WithoutChangesItIsWilsons) {
  const double z2 = 1.959963984540054 * 1.959963984540054;
  const Interval interval = PairedDifferenceInterval({0, 0, 1000});
  EXPECT_NEAR(interval.high, z2 / (1000 + z2), 1e-12);
  EXPECT_NEAR(interval.low, -interval.high, 1e-12);
}

TEST(PairedDifferenceIntervalTest, ManyItemsAreAsWalds) {
  // 60,000 of 10^8 items lost, 50,000 gained: the standard error is sqrt(110000 - 10^8 / 10^8) / 10^8.
  const Interval interval = PairedDifferenceInterval({60000, 50000, 100000000});
  EXPECT_NEAR(interval.low * 1e4, -1 - 1.96 * std::sqrt(110000) * 1e-4, 1e-3);
  EXPECT_NEAR(interval.high * 1e4, -1 + 1.96 * std::sqrt(110000) * 1e-4, 1e-3);
}

TEST(PairedDifferenceIntervalTest, Ends) {
  EXPECT_EQ(PairedDifferenceInterval({0, 0, 0}).low, -1);
  EXPECT_EQ(PairedDifferenceInterval({0, 0, 0}).high, 1);
  EXPECT_EQ(PairedDifferenceInterval({9, 0, 9}).low, -1);
  EXPECT_EQ(PairedDifferenceInterval({0, 9, 9}).high, 1);
}

TEST(PairedDifferenceIntervalTest, MirroredWhenBothAreExchanged) {
  for (uint64_t lost = 0; lost <= 20; ++lost) {
    for (uint64_t gained = 0; lost + gained <= 20; ++gained) {
      const Interval one = PairedDifferenceInterval({lost, gained, 20});
      const Interval other = PairedDifferenceInterval({gained, lost, 20});
      EXPECT_NEAR(one.low, -other.high, 1e-12) << lost << " " << gained;
      const double estimate = (static_cast<double>(gained) - static_cast<double>(lost)) / 20;
      EXPECT_LE(one.low, estimate);
      EXPECT_GE(one.high, estimate);
    }
  }
}

double LogOrZero(double count, double p) { return count == 0 ? 0 : count * std::log(p); }

// Finds the likeliest probability of a loss by search: P(gain) = q + d, P(neither) = 1 - 2q - d.
double LikeliestLoss(const PairedChanges& changes, double d) {
  double low = std::max(0.0, -d), high = (1 - d) / 2;
  const auto likelihood = [&](double q) {
    return LogOrZero(changes.lost, q) + LogOrZero(changes.gained, q + d) +
           LogOrZero(changes.items - changes.lost - changes.gained, 1 - 2 * q - d);
  };
  for (int i = 0; i < 200; ++i) {  // the likelihood is concave
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (likelihood(a) < likelihood(b) ? low : high) = likelihood(a) < likelihood(b) ? a : b;
  }
  return (low + high) / 2;
}

// At each end the distance is z standard deviations, with q found by search.
TEST(PairedDifferenceIntervalTest, EndsSolveTangosEquation) {
  for (const PairedChanges& changes : std::vector<PairedChanges>{{3, 1, 40}, {0, 2, 40}, {30, 40, 10000}, {5, 5, 12}}) {
    const auto n = static_cast<double>(changes.items);
    const double gained = static_cast<double>(changes.gained) - static_cast<double>(changes.lost);
    const Interval interval = PairedDifferenceInterval(changes);
    for (const double d : {interval.low, interval.high}) {
      const double q = LikeliestLoss(changes, d);
      const double score = std::abs(gained - n * d) / std::sqrt(n * (2 * q + d * (1 - d)));
      EXPECT_NEAR(score, 1.959964, 1e-4) << changes.lost << " " << changes.gained << " " << d;
    }
  }
}

// Returns the probability that the interval of n = 60 contains the true value: the sum of multinomial probabilities
// over all outcomes.
double Coverage(double p_lost, double p_gained, const std::vector<std::vector<Interval>>& intervals) {
  const uint64_t n = intervals.size() - 1;
  double coverage = 0;
  for (uint64_t b = 0; b <= n; ++b) {
    for (uint64_t c = 0; b + c <= n; ++c) {
      const Interval& interval = intervals[b][c];
      const double d = p_gained - p_lost;
      if (interval.low <= d && d <= interval.high) {
        const double rest = 1 - p_lost - p_gained;
        coverage += std::exp(std::log(Binomial(n, b)) + std::log(Binomial(n - b, c)) + LogOrZero(b, p_lost) +
                             LogOrZero(c, p_gained) + LogOrZero(n - b - c, rest));
      }
    }
  }
  return coverage;
}

// Returns the estimate +- z standard errors, the interval that textbooks print first.
Interval WaldInterval(const PairedChanges& changes) {
  const auto n = static_cast<double>(changes.items), changed = static_cast<double>(changes.lost + changes.gained);
  const double estimate = (static_cast<double>(changes.gained) - static_cast<double>(changes.lost)) / n;
  const double distance = 1.959964 * std::sqrt(std::max(0.0, changed - n * estimate * estimate)) / n;
  return {estimate - distance, estimate + distance};
}

struct Coverages {
  double mean = 0;
  double min = 1;
};

// Returns a method's coverages for 60 items, over a grid of true probabilities of a loss and a gain.
template <typename Method>
Coverages CoveragesOf(const Method& method) {
  constexpr uint64_t kItems = 60;
  std::vector<std::vector<Interval>> intervals(kItems + 1);
  for (uint64_t b = 0; b <= kItems; ++b) {
    for (uint64_t c = 0; b + c <= kItems; ++c) {
      intervals[b].push_back(method({b, c, kItems}));
    }
  }
  Coverages coverages;
  for (int i = 0; i < 11; ++i) {
    for (int j = 0; j < 11; ++j) {
      const double coverage = Coverage(0.005 + 0.04 * i, 0.005 + 0.04 * j, intervals);
      coverages.mean += coverage / 121;
      coverages.min = std::min(coverages.min, coverage);
    }
  }
  return coverages;
}

TEST(PairedDifferenceIntervalTest, HoldsTheTruthAtItsRate) {
  const Coverages tango = CoveragesOf([](const PairedChanges& changes) { return PairedDifferenceInterval(changes); });
  EXPECT_NEAR(tango.mean, 0.95, 0.003);
  EXPECT_GT(tango.min, 0.93);  // outcomes are whole numbers: no interval has its stated rate everywhere
}

TEST(PairedDifferenceIntervalTest, WaldsDoesNot) { EXPECT_LT(CoveragesOf(WaldInterval).min, 0.90); }

}  // namespace
}  // namespace lockstep
