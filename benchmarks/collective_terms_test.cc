#include "benchmarks/collective_terms.h"

#include <cmath>
#include <cstring>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Rounds to bf16 by cutting off the lower half, which changes every number that bf16 does not represent.
float Bf16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  bits &= 0xffff0000;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

TEST(CollectiveTermsTest, TheLargestSumIsExact) {
  for (int ranks = 2; ranks <= 256; ++ranks) {
    const auto sum = static_cast<float>(ranks * MaxTerm(TermType::kBfloat16, ranks));
    EXPECT_EQ(Bf16(sum), sum) << ranks << " ranks";
    EXPECT_LE(ranks * MaxTerm(TermType::kFloat, ranks), 1 << 24) << ranks << " ranks";
  }
  EXPECT_NE(Bf16(257), 257);  // first sum that is not exact
}

TEST(CollectiveTermsTest, TooManyRanksHaveNoTerms) {
  EXPECT_EQ(MaxTerm(TermType::kBfloat16, 256), 1);
  EXPECT_EQ(MaxTerm(TermType::kBfloat16, 257), 0);
  EXPECT_EQ(MaxTerm(TermType::kFloat, 1 << 24), 1);
  EXPECT_EQ(MaxTerm(TermType::kFloat, (1 << 24) + 1), 0);
}

TEST(CollectiveTermsTest, TermsAreInRangeAndNeighboursDiffer) {
  for (const TermType type : {TermType::kFloat, TermType::kBfloat16}) {
    for (const int ranks : {2, 3, 8, 11, 16, 64, 85, 128}) {
      const int64_t max_term = MaxTerm(type, ranks);
      ASSERT_GT(max_term, 1);
      for (int64_t i = 0; i < 1000; ++i) {
        const int rank = static_cast<int>(i) % ranks;
        const int64_t term = TermOf(i, rank, max_term);
        EXPECT_GE(term, 1);
        EXPECT_LE(term, max_term);
        EXPECT_NE(term, TermOf(i + 1, rank, max_term));
        EXPECT_NE(term, TermOf(i, rank + 1, max_term));
      }
    }
  }
}

// An element that a sum did not write still has the rank's own term.
TEST(CollectiveTermsTest, NoSumEqualsATerm) {
  const int64_t max_term = MaxTerm(TermType::kBfloat16, 2);
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t first = TermOf(i, 0, max_term), second = TermOf(i, 1, max_term);
    EXPECT_NE(first + second, first);
    EXPECT_NE(first + second, second);
  }
}

TEST(CollectiveTermsTest, TheLargestIndexDoesNotOverflow) {
  const int64_t i = kMaxTermIndex;
  EXPECT_GE(TermOf(i, 255, 31), 1);
  EXPECT_LE(TermOf(i, 255, 31), 31);
}

}  // namespace
}  // namespace lockstep
