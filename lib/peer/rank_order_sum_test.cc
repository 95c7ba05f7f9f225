#include "lib/peer/rank_order_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

float FromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

float Widen(uint16_t x) { return FromBits(static_cast<uint32_t>(x) << 16); }

// Returns the nearer of the two neighbours in bf16, or the even one of equally near ones. Distances are computed in
// fp64, where they are exact. The neighbour above the largest finite number counts as 2^128, as in IEEE 754.
uint16_t Nearest(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const auto below = static_cast<uint16_t>(bits >> 16);  // neighbour nearer to zero
  const auto above = static_cast<uint16_t>(below + 1);
  const double beyond = std::isinf(Widen(above)) ? std::copysign(std::ldexp(1, 128), x) : Widen(above);
  const double down = std::abs(static_cast<double>(x) - Widen(below));
  const double up = std::abs(beyond - static_cast<double>(x));
  return down < up || (down == up && below % 2 == 0) ? below : above;
}

uint16_t SumOf(const std::vector<uint16_t>& terms) {
  std::vector<const void*> sources;
  for (const uint16_t& term : terms) {
    sources.push_back(&term);
  }
  uint16_t sum = 0;
  SumInRankOrder(SumType::kBFloat16, sources, 1, &sum);
  return sum;
}

constexpr uint16_t kOne = 0x3F80, kInfinity = 0x7F80, kMinusInfinity = 0xFF80, kMax = 0x7F7F;

TEST(RankOrderSumTest, TiesGoToEven) {
  EXPECT_EQ(SumOf({kOne, 0x3B80}), kOne);            // 1 + 2^-8, half of the last bit of 1
  EXPECT_EQ(SumOf({0x3F81, 0x3B80}), 0x3F82);        // 1 + 2^-7 + 2^-8
  EXPECT_EQ(SumOf({kOne, 0x3B80, 0x3400}), 0x3F81);  // 2^-23 more than the tie
}

// Each 2^-8 alone would be rounded away.
TEST(RankOrderSumTest, RoundsOnce) { EXPECT_EQ(SumOf({kOne, 0x3B80, 0x3B80}), 0x3F81); }

TEST(RankOrderSumTest, SubnormalsAreNumbers) {
  EXPECT_EQ(SumOf({0x0001, 0x0001}), 0x0002);
  EXPECT_EQ(SumOf({0x007F, 0x0001}), 0x0080);  // smallest normal number
  EXPECT_EQ(SumOf({0x8001, 0x0001}), 0x0000);
  EXPECT_EQ(SumOf({0x8000, 0x8000}), 0x8000);  // -0 - 0
}

TEST(RankOrderSumTest, WhatIsTooLargeBecomesInfinite) {
  EXPECT_EQ(SumOf({kMax, kMax}), kInfinity);
  EXPECT_EQ(SumOf({kInfinity, kOne}), kInfinity);
  EXPECT_EQ(SumOf({kMinusInfinity, kMax}), kMinusInfinity);
  EXPECT_EQ(SumOf({kMax, 0x7AFF}), kMax);       // less than half of the last bit of the largest number
  EXPECT_EQ(SumOf({kMax, 0x7B00}), kInfinity);  // half of the last bit: a tie, and the largest number is odd
}

TEST(RankOrderSumTest, NaNStaysNaN) {
  for (const uint16_t nan : {0x7FC0, 0xFFC0, 0x7F81, 0xFF81, 0x7FFF, 0xFFFF}) {
    EXPECT_TRUE(std::isnan(Widen(SumOf({nan})))) << nan;
    EXPECT_TRUE(std::isnan(Widen(SumOf({kOne, nan})))) << nan;
    EXPECT_TRUE(std::isnan(Widen(SumOf({nan, kInfinity, kOne})))) << nan;
  }
  EXPECT_TRUE(std::isnan(Widen(SumOf({kInfinity, kMinusInfinity}))));
}

TEST(RankOrderSumTest, EverySingleNumberIsItself) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto number = static_cast<uint16_t>(bits);
    if (!std::isnan(Widen(number))) {
      ASSERT_EQ(SumOf({number}), number);
    }
  }
}

TEST(RankOrderSumTest, RoundsAsTheNearestNeighbourDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 300000; ++i) {
    const auto a = static_cast<uint16_t>(random()),
               b = static_cast<uint16_t>(random() % 4 == 0 ? random() : a + random() % 4096 - 2048);
    const float sum = Widen(a) + Widen(b);
    if (std::isfinite(sum)) {
      ASSERT_EQ(SumOf({a, b}), Nearest(sum)) << a << " + " << b;
    }
  }
}

// Uses large and small terms, so that another order gives other bits, lengths at the ends of blocks, and a source as
// output.
template <typename T>
void CompareWithPlainLoop(SumType type) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (const size_t count : {0, 1, 3, 511, 512, 513, 1024, 2000}) {
    for (const size_t ranks : {1, 2, 3, 5}) {
      std::vector<std::vector<T>> terms(ranks, std::vector<T>(count));
      std::vector<const void*> sources;
      std::vector<T> expected(count);
      for (auto& term : terms) {
        std::generate(term.begin(), term.end(), [&] { return static_cast<T>(std::exp2(exponent(random))); });
        sources.push_back(term.data());
      }
      for (size_t i = 0; i < count; ++i) {
        expected[i] = terms[0][i];
        for (size_t rank = 1; rank < ranks; ++rank) {
          expected[i] += terms[rank][i];
        }
      }
      SumInRankOrder(type, sources, count, terms.back().data());
      ASSERT_EQ(terms.back(), expected) << count << " elements of " << ranks << " ranks";
    }
  }
}

TEST(RankOrderSumTest, AddsInTheOrderGiven) {
  CompareWithPlainLoop<float>(SumType::kFloat);
  CompareWithPlainLoop<double>(SumType::kDouble);
}

}  // namespace
}  // namespace lockstep
