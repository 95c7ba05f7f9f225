#include "lib/kernels/pack_weights.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::vector<float> Packed(const WeightShape& shape, const std::vector<float>& weights) {
  std::vector<float> packed(PackedWeightCount(shape), std::nanf(""));
  PackWeights(shape, weights.data(), packed.data());
  return packed;
}

std::vector<float> Unpacked(const WeightShape& shape, const std::vector<float>& packed) {
  std::vector<float> weights(WeightCount(shape), std::nanf(""));
  UnpackWeights(shape, packed.data(), weights.data());
  return weights;
}

// The digits encode a weight's position: output channel, input channel, filter row, filter column.
const std::vector<float> kTwoOfThreeOfOneByTwo = {1111, 1112, 1211, 1212, 1311, 1312,
                                                  2111, 2112, 2211, 2212, 2311, 2312};

TEST(PackWeightsTest, ChannelsComeLast) {
  EXPECT_EQ(Packed({2, 3, 1, 2}, kTwoOfThreeOfOneByTwo),
            std::vector<float>({1111, 1211, 1311, 1112, 1212, 1312, 2111, 2211, 2311, 2112, 2212, 2312}));
}

TEST(PackWeightsTest, RowsStayBeforeColumns) {
  EXPECT_EQ(Packed({1, 2, 2, 2}, {1111, 1112, 1121, 1122, 1211, 1212, 1221, 1222}),
            std::vector<float>({1111, 1211, 1112, 1212, 1121, 1221, 1122, 1222}));
}

TEST(PackWeightsTest, ZerosStandBehindEachFilter) {
  EXPECT_EQ(Packed({2, 3, 1, 2, 1}, kTwoOfThreeOfOneByTwo),
            std::vector<float>({1111, 1211, 1311, 1112, 1212, 1312, 0, 2111, 2211, 2311, 2112, 2212, 2312, 0}));
}

TEST(PackWeightsTest, UnpackingDropsWhatStandsAmongTheZeros) {
  EXPECT_EQ(Unpacked({2, 1, 1, 2, 2}, {1, 2, 90, 91, 3, 4, 92, std::numeric_limits<float>::infinity()}),
            std::vector<float>({1, 2, 3, 4}));
}

// The first convolution of ResNet-18 for CIFAR-10 with five zeros per filter, an inner convolution, a shortcut, a fully
// connected layer.
TEST(PackWeightsTest, UnpackingUndoesPacking) {
  for (const WeightShape& shape : {WeightShape{64, 3, 3, 3, 5}, WeightShape{5, 7, 3, 2, 0}, WeightShape{4, 8, 1, 1, 0},
                                   WeightShape{10, 512, 1, 1, 0}}) {
    std::vector<float> weights(WeightCount(shape));
    std::iota(weights.begin(), weights.end(), 1.0f);
    EXPECT_EQ(Unpacked(shape, Packed(shape, weights)), weights) << shape.in_channels;
  }
}

TEST(PackWeightsTest, OneByOneFiltersStayAsTheyAre) {
  EXPECT_EQ(Packed({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<float>({1, 2, 3, 4, 5, 6}));
}

TEST(PackWeightsTest, Counts) {
  EXPECT_EQ(WeightCount({64, 3, 3, 3, 5}), 1728u);
  EXPECT_EQ(PackedWeightCount({64, 3, 3, 3, 5}), 2048u);
  EXPECT_EQ(WeightCount({}), 0u);
  EXPECT_TRUE(Packed({}, {}).empty());
}

}  // namespace
}  // namespace lockstep
