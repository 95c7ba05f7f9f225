#include "lib/int8/entropy_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/int8/random_values_testing.h"

namespace lockstep {
namespace {

using Counts = std::vector<uint64_t>;

// Returns the reference distribution by its definition: all counts beyond are added to the last kept bin.
std::vector<double> Reference(const Counts& counts, size_t bins) {
  std::vector<double> p(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(bins));
  p[bins - 1] += std::accumulate(counts.begin() + static_cast<ptrdiff_t>(bins), counts.end(), 0.0);
  return p;
}

// Returns the candidate distribution by its definition: counts are summed into levels and returned to the bins that had
// any.
std::vector<double> Candidate(const Counts& counts, size_t bins, int levels) {
  std::vector<double> level_count(levels), level_bins(levels), q(bins);
  const auto level = [&](size_t bin) { return bin * levels / bins; };
  for (size_t bin = 0; bin < bins; ++bin) {
    level_count[level(bin)] += static_cast<double>(counts[bin]);
    level_bins[level(bin)] += counts[bin] > 0 ? 1 : 0;
  }
  for (size_t bin = 0; bin < bins; ++bin) {
    q[bin] = counts[bin] > 0 ? level_count[level(bin)] / level_bins[level(bin)] : 0;
  }
  return q;
}

double SlowDivergence(const Counts& counts, size_t bins, int levels) {
  const std::vector<double> p = Reference(counts, bins), q = Candidate(counts, bins, levels);
  const double kept = std::accumulate(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(bins), 0.0);
  if (kept < 0.9 * std::accumulate(counts.begin(), counts.end(), 0.0)) {
    return std::numeric_limits<double>::infinity();
  }
  const double sum_p = std::accumulate(p.begin(), p.end(), 0.0), sum_q = std::accumulate(q.begin(), q.end(), 0.0);
  double divergence = 0;
  for (size_t bin = 0; bin < bins; ++bin) {
    divergence += p[bin] > 0 ? p[bin] / sum_p * std::log(p[bin] / sum_p / (q[bin] / sum_q)) : 0;
  }
  return divergence;
}

double SlowMinDivergence(const Counts& counts, int levels) {
  double min_divergence = std::numeric_limits<double>::infinity();
  for (size_t bins = levels; bins <= counts.size(); ++bins) {
    min_divergence = std::min(min_divergence, SlowDivergence(counts, bins, levels));
  }
  return min_divergence;
}

// Checks that the chosen number of bins has the least divergence. Numbers whose divergences differ only by rounding may
// be exchanged: 1e-11 covers 1,000 additions of relative error 2^-53 with terms up to 100.
void ExpectMinDivergence(const Counts& counts, int levels) {
  const size_t bins = MinDivergenceBins(counts, levels);
  ASSERT_GE(bins, static_cast<size_t>(levels));
  ASSERT_LE(bins, counts.size());
  EXPECT_NEAR(SlowDivergence(counts, bins, levels), SlowMinDivergence(counts, levels), 1e-11) << bins;
}

TEST(MinDivergenceBinsTest, AsTheLiteralAlgorithm) {
  for (const auto& named : testing::ManyDistributions(20000, 1)) {
    for (const int levels : {128, 256}) {
      SCOPED_TRACE(named.name);
      float largest = 1e-30f;
      for (const float value : named.values) {
        largest = std::max(largest, std::abs(value));
      }
      Counts counts(700);
      for (const float value : named.values) {
        if (value != 0) {
          ++counts[std::min<size_t>(static_cast<size_t>(std::abs(value) / largest * 700), 699)];
        }
      }
      if (counts.back() > 0) {
        ExpectMinDivergence(counts, levels);
      }
    }
  }
}

// Sparse counts: most last bins are empty, so that most divergences are infinite.
TEST(MinDivergenceBinsTest, AsTheLiteralAlgorithmOnSparseCounts) {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    Counts counts(20 + random() % 100);
    for (uint64_t& count : counts) {
      count = random() % 4 == 0 ? random() % 50 : 0;
    }
    counts.back() = 1 + random() % 3;
    for (const int levels : {4, 7, 16}) {
      ExpectMinDivergence(counts, levels);
    }
  }
}

TEST(MinDivergenceBinsTest, ByHand) {
  EXPECT_EQ(MinDivergenceBins({}, 2), 0u);
  EXPECT_EQ(MinDivergenceBins({5}, 2), 1u);
  EXPECT_EQ(MinDivergenceBins({5, 1}, 2), 2u);
  // Two levels hold {8, 8} and {1, 1} without loss; two or three bins would add outliers to the last bin.
  EXPECT_EQ(MinDivergenceBins({8, 8, 1, 1}, 2), 4u);
  // The last bin holds one count of a thousand. If it is kept, four bins share two levels, and {900, 99} is one of
  // them; if not, no bins are merged.
  EXPECT_EQ(MinDivergenceBins({900, 99, 0, 1}, 2), 2u);
}

TEST(MinDivergenceBinsTest, OfEqualOnesTheLargest) {
  // Three bins have {0, 0, 95} for {0, 0, 100}; six bins lose nothing. Both divergences are 0.
  EXPECT_EQ(MinDivergenceBins({0, 0, 95, 0, 0, 5}, 2), 6u);
}

TEST(MinDivergenceBinsTest, MostValuesAreKept) {
  // Two bins have {0, 1} for {0, 1102}: the divergence is 0, but nearly everything is clipped.
  EXPECT_GE(MinDivergenceBins({0, 1, 300, 500, 280, 20, 1}, 2), 5u);
}

TEST(MinDivergenceBinsTest, FarOutliersAreLeftOut) {
  Counts counts(2048);
  for (int bin = 0; bin < 400; ++bin) {
    counts[bin] = static_cast<uint64_t>(100000 * std::exp(-bin * bin / 20000.0));
  }
  counts.back() = 1;
  EXPECT_LE(MinDivergenceBins(counts, 128), 400u);
}

}  // namespace
}  // namespace lockstep
