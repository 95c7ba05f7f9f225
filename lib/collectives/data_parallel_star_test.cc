#include "lib/collectives/data_parallel_star.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// 1000 bytes of parameters, 10 of buffers, a batch with 400 input bytes and 40 output bytes.
DataParallelStep Step(uint32_t ranks) { return {ranks, 1000, 10, 400, 40}; }

TEST(DataParallelStarTest, OneDeviceMovesNothing) {
  const StarCost cost = DataParallelStarCost(Step(1), {1, 1});
  EXPECT_EQ(cost.sent_bytes, 0);
  EXPECT_EQ(cost.received_bytes, 0);
  EXPECT_EQ(cost.busy_seconds, 0);
}

TEST(DataParallelStarTest, TwoDevices) {
  const StarCost cost = DataParallelStarCost(Step(2), {0.5, 1e-3});
  EXPECT_DOUBLE_EQ(cost.sent_bytes, 1010 + 200 + 20);
  EXPECT_DOUBLE_EQ(cost.received_bytes, 20 + 1000);
  EXPECT_DOUBLE_EQ(cost.busy_seconds, 5 * 0.5 + 2.25);
}

TEST(DataParallelStarTest, TheCentreCarriesEveryReplica) {
  const StarCost cost = DataParallelStarCost(Step(4), {0.5, 1e-3});
  EXPECT_DOUBLE_EQ(cost.sent_bytes, 3 * 1010 + 300 + 30);
  EXPECT_DOUBLE_EQ(cost.received_bytes, 30 + 3000);
  EXPECT_DOUBLE_EQ(cost.busy_seconds, 15 * 0.5 + 6.39);
}

}  // namespace
}  // namespace lockstep
