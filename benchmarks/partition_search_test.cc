#include "benchmarks/partition_search.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(PartitionSearchTest, MovesFitAndDifferByOneMove) {
  for (const uint32_t batch : {32u, 128u}) {
    const std::vector<LayerSms> layers = FoundLayerSms(batch);
    const std::vector<LayerMoves> moves = MovesOfLayers(layers, batch, 4);
    ASSERT_EQ(moves.size(), layers.size());
    for (size_t i = 0; i < moves.size(); ++i) {
      EXPECT_GE(moves[i].size(), 2u);
      for (const LayerSms& move : moves[i]) {
        EXPECT_TRUE(CheckLayerSms({move}, batch).ok()) << CheckLayerSms({move}, batch);
        EXPECT_EQ(move.channels, layers[i].channels);
        EXPECT_TRUE(move.data_gradient != layers[i].data_gradient || move.weight_gradient != layers[i].weight_gradient);
      }
    }
  }
}

// No move takes more SMs than a user has.
TEST(PartitionSearchTest, NoUserIsLeftWithout) {
  const std::vector<LayerMoves> moves = MovesOfLayers({{64, 8, 8}}, 128, 8);
  ASSERT_EQ(moves.size(), 1u);
  for (const LayerSms& move : moves[0]) {
    EXPECT_GE(move.data_gradient, 8u);
    EXPECT_GE(move.weight_gradient, 8u);
  }
  EXPECT_EQ(moves[0].size(), 2u);  // both from free SMs
}

// Seconds of a backward pass whose layers take the longer of both chains, with work of 3 to 1.
double LongerChain(const std::vector<LayerSms>& layers) {
  double seconds = 0;
  for (const LayerSms& layer : layers) {
    seconds += std::fmax(3.0 / layer.data_gradient, 1.0 / layer.weight_gradient);
  }
  return seconds;
}

TEST(PartitionSearchTest, FindsTheBalanceOfTheChains) {
  std::vector<LayerSms> layers = {{64, 66, 66}, {512, 115, 17}};
  for (int round = 0; round < 12; ++round) {
    layers = ImprovePartition(layers, 128, 4, 0.001, LongerChain);
  }
  for (const LayerSms& layer : layers) {
    EXPECT_NEAR(layer.data_gradient, 99, 4) << layer.channels;
    EXPECT_NEAR(layer.weight_gradient, 33, 4) << layer.channels;
  }
}

// A move that wins once and loses when it is measured again is not taken.
TEST(PartitionSearchTest, NoiseIsNotTakenForAGain) {
  const std::vector<LayerSms> layers = {{64, 66, 66}};
  int measured = 0;
  const std::vector<LayerSms> found = ImprovePartition(layers, 128, 4, 0.001, [&](const std::vector<LayerSms>& now) {
    ++measured;
    const bool moved = now[0].data_gradient != 66;
    return moved ? (measured < 4 ? 0.9 : 1.1) : 1.0;
  });
  EXPECT_EQ(found[0].data_gradient, 66u);
  EXPECT_EQ(measured, 2 + 2 + 2);  // the present one twice, two moves, one turn with the combination
}

}  // namespace
}  // namespace lockstep
