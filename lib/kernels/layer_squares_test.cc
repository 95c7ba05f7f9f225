#include "lib/kernels/layer_squares.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;

LayerTable TableOf(const std::vector<uint64_t>& begins) {
  LayerTable table;
  table.layers = static_cast<uint32_t>(begins.size()) - 1;
  std::copy(begins.begin(), begins.end(), table.begin);
  return table;
}

double SumOfParts(const std::vector<double>& squares, uint32_t layer) {
  const auto first = squares.begin() + static_cast<std::ptrdiff_t>(layer * kSquareParts);
  return std::accumulate(first, first + kSquareParts, 0.0);
}

// Layers with the squares 9, 16 and 4; no elements; 1.
TEST(LayerSquaresTest, TheReferenceByHand) {
  const std::vector<float> values = {100, 3, -4, 2, 1};
  std::vector<double> squares(3 * kSquareParts, -1);
  LayerSquaresReference<float>({TableOf({1, 4, 4, 5}), values.data(), squares.data()});
  EXPECT_EQ(SumOfParts(squares, 0), 29);
  EXPECT_EQ(SumOfParts(squares, 1), 0);
  EXPECT_EQ(SumOfParts(squares, 2), 1);
  EXPECT_EQ(squares[1], 0);  // a part without an element
}

// Sums of small integers are exact, so every element must count once, in any part.
TEST(LayerSquaresTest, TheReferenceCountsEachElementOnce) {
  constexpr uint64_t kCount = 3 * kSquareParts * kSquareThreads + 5;
  std::vector<__nv_bfloat16> values;
  double expected = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    values.push_back(__nv_bfloat16(static_cast<float>(i % 17)));
    expected += static_cast<double>(i % 17) * static_cast<double>(i % 17);
  }
  std::vector<double> squares(kSquareParts);
  LayerSquaresReference<__nv_bfloat16>({TableOf({0, kCount}), values.data(), squares.data()});
  EXPECT_EQ(SumOfParts(squares, 0), expected);
}

template <typename G>
void ExpectKernelEqualsReference(const std::vector<uint64_t>& begins) {
  CounterRandom random(1, RandomPurpose::kSyntheticImage, 1, 2);
  std::vector<G> values;
  for (uint64_t i = 0; i < begins.back(); ++i) {
    values.push_back(G(static_cast<float>(random.Below(1u << 24)) / (1 << 23) - 1));
  }
  const LayerTable table = TableOf(begins);
  std::vector<double> squares(size_t{table.layers} * kSquareParts, -1);
  DeviceArray<G> device_values(values);
  DeviceArray<double> device_squares(squares);
  LayerSquaresReference<G>({table, values.data(), squares.data()});
  ASSERT_EQ(LayerSquares<G>({table, device_values.data(), device_squares.data()}, nullptr), cudaSuccess);
  EXPECT_TRUE(SameBits(device_squares.ToHost(), squares));
}

// Layers smaller than, equal to and larger than a block, and larger than a round of all blocks; some first layers start
// in the middle of the array.
TEST(LayerSquaresTest, KernelEqualsReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const std::vector<uint64_t>& begins :
       {std::vector<uint64_t>{0, 1}, std::vector<uint64_t>{3, 258, 514, 771, 771, 9000}, std::vector<uint64_t>{0, 8192},
        std::vector<uint64_t>{7, 8200, 40000, 2'400'000}}) {
    ExpectKernelEqualsReference<float>(begins);
    ExpectKernelEqualsReference<__nv_bfloat16>(begins);
  }
  std::vector<uint64_t> most(kMaxLayers + 1);
  std::iota(most.begin(), most.end(), 5);
  ExpectKernelEqualsReference<float>(most);
}

TEST(LayerSquaresTest, RefusesTooManyLayers) {
  LayerSquaresInput<float> input;
  EXPECT_EQ(LayerSquares(input, nullptr), cudaSuccess);  // nothing to do
  input.table.layers = kMaxLayers + 1;
  EXPECT_EQ(LayerSquares(input, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
