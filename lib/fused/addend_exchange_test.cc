#include "lib/fused/addend_exchange.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(AddendExchangeTest, SharesAreMultiplesOfEightElementsAndTheLastIsShorter) {
  EXPECT_EQ(ShareOf(20, 0, 2).begin, 0u);
  EXPECT_EQ(ShareOf(20, 0, 2).count, 16u);
  EXPECT_EQ(ShareOf(20, 1, 2).begin, 16u);
  EXPECT_EQ(ShareOf(20, 1, 2).count, 4u);
}

TEST(AddendExchangeTest, SharesCoverARangeOnceInRankOrder) {
  for (const size_t count : {0, 1, 8, 63, 64, 65, 1000}) {
    for (uint32_t ranks = 1; ranks <= kMaxPeerRanks; ++ranks) {
      size_t end = 0;
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        const RankShare share = ShareOf(count, rank, ranks);
        EXPECT_EQ(share.begin, end) << count << " elements, rank " << rank << " of " << ranks;
        end += share.count;
      }
      EXPECT_EQ(end, count) << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace lockstep
