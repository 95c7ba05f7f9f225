#include "lib/dataset/counter_random.h"

#include <array>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

CounterRandom Stream(uint64_t seed, RandomPurpose purpose, uint64_t a, uint64_t b) { return {seed, purpose, a, b}; }

TEST(CounterRandomTest, TheSameKeyGivesTheSameNumbers) {
  CounterRandom a = Stream(1, RandomPurpose::kEpochOrder, 2, 3);
  CounterRandom b = Stream(1, RandomPurpose::kEpochOrder, 2, 3);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(a.Next(), b.Next());
  }
}

TEST(CounterRandomTest, EveryPartOfTheKeyCounts) {
  std::set<uint64_t> firsts;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    for (uint64_t a = 0; a < 4; ++a) {
      for (uint64_t b = 0; b < 4; ++b) {
        firsts.insert(Stream(seed, RandomPurpose::kEpochOrder, a, b).Next());
        firsts.insert(Stream(seed, RandomPurpose::kAugmentation, a, b).Next());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 4u * 4 * 4 * 2);
}

// Computed by a reference implementation in Python, whose Mix(0) is 0xe220a8397b1dcdaf, the first number of Vigna's
// reference code for state 0 (prng.di.unimi.it/splitmix64.c). Other numbers would change every epoch, crop and
// synthetic image.
TEST(CounterRandomTest, NumbersAreThoseOfTheReference) {
  EXPECT_EQ(Stream(0, RandomPurpose::kEpochOrder, 0, 0).Next(), 0xf19264ec81b77bd5u);
  EXPECT_EQ(Stream(1, RandomPurpose::kAugmentation, 3, 4).Next(), 0xf64817d8f9f2f25bu);
}

TEST(CounterRandomTest, BelowOneIsZero) {
  CounterRandom random = Stream(0, RandomPurpose::kEpochOrder, 0, 0);
  EXPECT_EQ(random.Below(1), 0u);
}

// 90,000 draws over 9 values: each count is binomial with mean 10,000 and standard deviation sqrt(90000 * 1/9 * 8/9) =
// 94. A deviation of six times that, 566, happens by chance with probability 2e-9 per value.
TEST(CounterRandomTest, BelowIsUniform) {
  CounterRandom random = Stream(5, RandomPurpose::kAugmentation, 0, 0);
  std::array<int, 9> counts{};
  for (int i = 0; i < 90'000; ++i) {
    ++counts.at(random.Below(9));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10'000, 566);
  }
}

TEST(CounterRandomTest, BetweenIncludesBothEnds) {
  CounterRandom random = Stream(5, RandomPurpose::kAugmentation, 0, 0);
  std::set<int32_t> seen;
  for (int i = 0; i < 200; ++i) {
    seen.insert(random.Between(-1, 2));
  }
  EXPECT_THAT(seen, ::testing::ElementsAre(-1, 0, 1, 2));
}

}  // namespace
}  // namespace lockstep
