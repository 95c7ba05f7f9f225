#include "lib/dataset/sampler.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<uint32_t> Identity(uint32_t n) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// Returns how often each image occurs in all shards together.
std::map<uint32_t, int> Counts(const std::vector<uint32_t>& order, uint32_t ranks, DropLast drop_last) {
  std::map<uint32_t, int> counts;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (const uint32_t image : ShardOrder(order, ranks, rank, drop_last).order) {
      ++counts[image];
    }
  }
  return counts;
}

TEST(EpochOrderTest, NoImagesNoOrder) { EXPECT_THAT(EpochOrder(0, 1, 1), IsEmpty()); }

TEST(EpochOrderTest, OneImage) { EXPECT_THAT(EpochOrder(1, 1, 1), ElementsAre(0)); }

TEST(EpochOrderTest, IsAPermutation) {
  std::vector<uint32_t> order = EpochOrder(1000, 7, 3);
  EXPECT_NE(order, Identity(1000));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, Identity(1000));
}

TEST(EpochOrderTest, IsAFunctionOfSeedAndEpoch) {
  EXPECT_EQ(EpochOrder(100, 7, 3), EpochOrder(100, 7, 3));
  EXPECT_NE(EpochOrder(100, 7, 3), EpochOrder(100, 7, 4));
  EXPECT_NE(EpochOrder(100, 7, 3), EpochOrder(100, 8, 3));
}

// Computed by a reference implementation in Python. Other platforms and later versions must give the same order.
TEST(EpochOrderTest, TenImagesHaveTheOrderOfTheReference) {
  EXPECT_THAT(EpochOrder(10, 0, 0), ElementsAre(0, 2, 3, 1, 7, 8, 4, 6, 5, 9));
  EXPECT_THAT(EpochOrder(10, 42, 3), ElementsAre(5, 1, 6, 8, 2, 4, 7, 0, 9, 3));
}

// 60,000 epochs of 3 images: each of the 6 orders has mean 10,000 and standard deviation sqrt(60000 * 1/6 * 5/6) = 91.
// A deviation of six times that, 548, happens by chance with probability 2e-9 per order.
TEST(EpochOrderTest, AllOrdersAreEquallyLikely) {
  std::map<std::vector<uint32_t>, int> counts;
  for (uint32_t epoch = 0; epoch < 60'000; ++epoch) {
    ++counts[EpochOrder(3, 11, epoch)];
  }
  EXPECT_THAT(counts, SizeIs(6));
  for (const auto& [order, count] : counts) {
    EXPECT_NEAR(count, 10'000, 548);
  }
}

TEST(ShardOrderTest, OneRankGetsAll) {
  const Shard shard = ShardOrder({4, 2, 0}, 1, 0, DropLast::kNo);
  EXPECT_THAT(shard.order, ElementsAre(4, 2, 0));
  EXPECT_EQ(shard.padded, 0u);
}

TEST(ShardOrderTest, DealsInTurn) {
  EXPECT_THAT(ShardOrder({5, 4, 3, 2, 1, 0}, 2, 0, DropLast::kNo).order, ElementsAre(5, 3, 1));
  EXPECT_THAT(ShardOrder({5, 4, 3, 2, 1, 0}, 2, 1, DropLast::kNo).order, ElementsAre(4, 2, 0));
}

TEST(ShardOrderTest, ShardsAreDisjointAndCoverAll) {
  const std::map<uint32_t, int> counts = Counts(EpochOrder(1000, 1, 1), 4, DropLast::kNo);
  EXPECT_THAT(counts, SizeIs(1000));
  for (const auto& [image, count] : counts) {
    EXPECT_EQ(count, 1) << image;
  }
}

TEST(ShardOrderTest, PaddingWrapsRoundAndIsCounted) {
  // 5 images, 3 ranks: 2 each; position 5 wraps to position 0.
  EXPECT_THAT(ShardOrder({9, 8, 7, 6, 5}, 3, 0, DropLast::kNo).order, ElementsAre(9, 6));
  EXPECT_THAT(ShardOrder({9, 8, 7, 6, 5}, 3, 1, DropLast::kNo).order, ElementsAre(8, 5));
  const Shard last = ShardOrder({9, 8, 7, 6, 5}, 3, 2, DropLast::kNo);
  EXPECT_THAT(last.order, ElementsAre(7, 9));
  EXPECT_EQ(last.padded, 1u);
}

TEST(ShardOrderTest, DropLastLeavesTheTailOut) {
  for (uint32_t rank = 0; rank < 3; ++rank) {
    const Shard shard = ShardOrder({9, 8, 7, 6, 5}, 3, rank, DropLast::kYes);
    EXPECT_THAT(shard.order, ElementsAre(9 - rank));
    EXPECT_EQ(shard.padded, 0u);
  }
}

TEST(ShardOrderTest, MoreRanksThanImages) {
  for (uint32_t rank = 0; rank < 5; ++rank) {
    const Shard shard = ShardOrder({3, 1}, 5, rank, DropLast::kNo);
    EXPECT_THAT(shard.order, ElementsAre(rank % 2 == 0 ? 3 : 1));
    EXPECT_EQ(shard.padded, rank < 2 ? 0u : 1u);
    EXPECT_THAT(ShardOrder({3, 1}, 5, rank, DropLast::kYes).order, IsEmpty());
  }
}

TEST(ShardOrderTest, NoImages) { EXPECT_THAT(ShardOrder({}, 2, 1, DropLast::kNo).order, IsEmpty()); }

// The lab's question: with the epoch number, a rank sees every image in time; without it, only its own share.
TEST(ShardOrderTest, WithoutTheEpochNumberARankSeesOnlyItsShare) {
  std::vector<bool> with(100), without(100);
  for (uint32_t epoch = 0; epoch < 40; ++epoch) {
    for (const uint32_t image : ShardOrder(EpochOrder(100, 1, epoch), 4, 0, DropLast::kNo).order) {
      with[image] = true;
    }
    for (const uint32_t image : ShardOrder(EpochOrder(100, 1, 0), 4, 0, DropLast::kNo).order) {
      without[image] = true;
    }
  }
  // An image is missed 40 times in a row with probability 0.75^40 = 1e-5; for 100 images 1e-3, and the seed is fixed.
  EXPECT_THAT(with, Each(true));
  EXPECT_EQ(std::count(without.begin(), without.end(), true), 25);
}

}  // namespace
}  // namespace lockstep
