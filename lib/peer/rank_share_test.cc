#include "lib/peer/rank_share.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(RankShareTest, TenFloatsOfTwoRanksAreEightAndTwo) {
  EXPECT_EQ(MaxShare(10, 4, 2), 8u);
  EXPECT_EQ(ShareOf(10, 4, 0, 2).count, 8u);
  EXPECT_EQ(ShareOf(10, 4, 1, 2).begin, 8u);
  EXPECT_EQ(ShareOf(10, 4, 1, 2).count, 2u);
}

TEST(RankShareTest, WhatFillsOneStepIsTheFirstRanks) {
  EXPECT_EQ(ShareOf(3, 2, 0, 4).count, 3u);
  for (uint32_t rank = 1; rank < 4; ++rank) {
    EXPECT_EQ(ShareOf(3, 2, rank, 4).count, 0u);
  }
  EXPECT_EQ(ShareOf(0, 2, 0, 4).count, 0u);
}

// Shares, and the pieces of a share, follow each other without a gap, begin at multiples of 16 bytes, and cover the
// whole.
TEST(RankShareTest, SharesAndPiecesAreAllOnceInOrder) {
  for (const size_t bytes : {1, 2, 4, 16}) {
    for (uint32_t ranks = 1; ranks <= 16; ++ranks) {
      for (size_t count = 0; count < 700; count += 1 + count / 20) {
        size_t next = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank) {
          const ShareRange share = ShareOf(count, bytes, rank, ranks);
          EXPECT_EQ(share.begin, next);
          EXPECT_LE(share.count, MaxShare(count, bytes, ranks));
          for (uint32_t piece = 0; piece < 2; ++piece) {
            const ShareRange part = PieceOf(count, bytes, rank, ranks, piece, 2);
            EXPECT_EQ(part.begin, next);
            EXPECT_TRUE(part.count == 0 || part.begin * bytes % kShareStepBytes == 0);
            next += part.count;
          }
          EXPECT_EQ(share.begin + share.count, next);
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

// The buffer for parts of a share can therefore be sized with one type and used with another.
TEST(RankShareTest, AShareHasAsManyBytesInEachType) {
  for (size_t floats = 1; floats < 100; ++floats) {
    EXPECT_EQ(4 * MaxShare(floats, 4, 3), 2 * MaxShare(2 * floats, 2, 3));
    EXPECT_EQ(4 * MaxShare(floats, 4, 3), MaxShare(4 * floats, 1, 3));
  }
}

}  // namespace
}  // namespace lockstep
