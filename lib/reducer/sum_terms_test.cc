#include "lib/reducer/sum_terms.h"

#include <cstring>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns numbers of ranks: all around those at which the stride first changes, then some up to 1,024.
std::vector<int64_t> RankCounts() {
  std::vector<int64_t> counts = {64, 65, 100, 128, 251, 257, 512, 1023, 1024};
  for (int64_t ranks = 2; ranks <= 40; ++ranks) {
    counts.push_back(ranks);
  }
  return counts;
}

// Returns the terms of all ranks, by rank and element.
std::vector<std::vector<int64_t>> TermsOf(int64_t ranks) {
  std::vector<std::vector<int64_t>> terms(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (int64_t i = 0; i < kTermPeriod; ++i) {
      terms[rank].push_back(SumTerm(i, rank, ranks));
    }
  }
  return terms;
}

// Returns true if bf16, the upper half of a float, represents the number.
bool IsBf16(int64_t number) {
  const auto value = static_cast<float>(number);
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<int64_t>(value) == number && (bits & 0xffff) == 0;
}

TEST(SumTermsTest, Bf16RepresentsEverySumUpToTheLargest) {
  for (int64_t number = 0; number <= kMaxExactSum; ++number) {
    EXPECT_TRUE(IsBf16(number)) << number;
  }
  EXPECT_FALSE(IsBf16(kMaxExactSum + 1));
}

// No term is negative, so no partial sum is above the sum. An element that was not summed still has a rank's own term,
// which is below the sum because two ranks or more add to it.
TEST(SumTermsTest, EverySumIsExactAndAboveItsTerms) {
  for (const int64_t ranks : RankCounts()) {
    const std::vector<std::vector<int64_t>> terms = TermsOf(ranks);
    for (int64_t i = 0; i < kTermPeriod; ++i) {
      int64_t sum = 0, adders = 0;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        ASSERT_GE(terms[rank][i], 0) << "element " << i << " of rank " << rank << " of " << ranks;
        sum += terms[rank][i];
        adders += terms[rank][i] > 0 ? 1 : 0;
      }
      ASSERT_LE(sum, kMaxExactSum) << "element " << i << " of " << ranks << " ranks";
      ASSERT_GE(adders, 2) << "element " << i << " of " << ranks << " ranks";
    }
  }
}

// A sum without one rank, or with one in place of another, is wrong in some element: every rank has a term above 0, and
// no two ranks have the same terms.
TEST(SumTermsTest, RanksDiffer) {
  for (const int64_t ranks : RankCounts()) {
    std::set<std::vector<int64_t>> different = {std::vector<int64_t>(kTermPeriod, 0)};
    for (const std::vector<int64_t>& terms : TermsOf(ranks)) {
      EXPECT_TRUE(different.insert(terms).second) << "rank " << different.size() - 1 << " of " << ranks;
    }
  }
}

// Terms in the place of other terms of the range are found.
TEST(SumTermsTest, ElementsOfAPeriodDiffer) {
  for (const int64_t ranks : RankCounts()) {
    const std::vector<std::vector<int64_t>> terms = TermsOf(ranks);
    std::set<std::vector<int64_t>> different;
    for (int64_t i = 0; i < kTermPeriod; ++i) {
      std::vector<int64_t> of_ranks;
      for (const std::vector<int64_t>& of_rank : terms) {
        of_ranks.push_back(of_rank[i]);
      }
      EXPECT_TRUE(different.insert(of_ranks).second) << "element " << i << " of " << ranks << " ranks";
    }
  }
}

TEST(SumTermsTest, TermsRepeatAfterAPeriod) {
  for (int64_t i = 0; i < kTermPeriod; ++i) {
    EXPECT_EQ(SumTerm(i, 5, 100), SumTerm(i + 3 * kTermPeriod, 5, 100));
  }
}

TEST(SumTermsTest, OneRankHasTerms) {
  EXPECT_GE(SumTerm(0, 0, 1), 1);
  EXPECT_LE(SumTerm(0, 0, 1), kMaxExactSum);
}

}  // namespace
}  // namespace lockstep
