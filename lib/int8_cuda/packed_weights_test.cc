// Implicit product by plain loops on the host: packed weights, start values and classes together must give the sums of
// lib/int8/plain_layers.h.
#include "lib/int8_cuda/packed_weights.h"

#include <algorithm>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "lib/int8/plain_layers.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/epilogue_tables.h"
#include "lib/int8_cuda/implicit_product.h"

namespace lockstep {
namespace {

using ::lockstep::testing::RandomImages;
using ::lockstep::testing::RandomIntegerNetwork;

constexpr ProductKind kKinds[] = {ProductKind::kQuads, ProductKind::kTensorCores};

// Returns one row of the first matrix: the inputs of a pixel's taps, 0 in the padding. Padding channels hold `rubbish`.
std::vector<int8_t> Gathered(const LayerShape& shape, const std::vector<int8_t>& image, uint32_t pixel,
                             int8_t rubbish) {
  std::vector<int8_t> row;
  const int64_t top = int64_t{pixel / shape.Out().width} * shape.stride - shape.padding;
  const int64_t left = int64_t{pixel % shape.Out().width} * shape.stride - shape.padding;
  for (int64_t tap = 0; tap < int64_t{shape.kernel} * shape.kernel; ++tap) {
    const int64_t y = top + tap / shape.kernel, x = left + tap % shape.kernel;
    const bool is_real = y >= 0 && y < shape.in_height && x >= 0 && x < shape.in_width;
    for (uint32_t c = 0; c < PaddedChannels(shape.in_channels); ++c) {
      row.push_back(!is_real                ? int8_t{0}
                    : c < shape.in_channels ? image[(y * shape.in_width + x) * shape.in_channels + c]
                                            : rubbish);
    }
  }
  row.resize(PackedDepth(shape), rubbish);
  return row;
}

std::vector<int32_t> ImplicitSums(const IntegerLayer& layer, int32_t zero_point, const std::vector<int8_t>& image,
                                  ProductKind kind) {
  const LayerShape& shape = layer.shape;
  const std::vector<int8_t> weights = PackWeightsFor(kind, layer);
  const EpilogueTables tables = MakeEpilogueTables(layer, zero_point);
  const uint32_t channels = PaddedChannels(shape.out_channels);
  std::vector<int32_t> sums(shape.Out().Size());
  for (uint32_t pixel = 0; pixel < shape.Out().height * shape.Out().width; ++pixel) {
    const std::vector<int8_t> values = Gathered(shape, image, pixel, 77);
    for (uint32_t row = 0; row < PackedRows(shape); ++row) {
      int32_t sum = 0;
      for (size_t k = 0; k < values.size(); ++k) {
        sum += values[k] * weights[row * values.size() + k];
      }
      const uint32_t output = OutputOfRow(kind, row);
      const uint32_t first = tables.classes.empty() ? 0 : tables.classes[pixel] * channels;
      if (output < shape.out_channels) {
        sums[pixel * shape.out_channels + output] = sum + tables.start[first + output];
      } else {
        EXPECT_EQ(sum, 0);
      }
    }
  }
  return sums;
}

TEST(PackedWeightsTest, TheImplicitProductIsThePlainSum) {
  std::mt19937 random(1);
  size_t with_classes = 0, layers = 0;
  while (layers < 60) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const IntegerLayer& layer = network.layers[0];
    const std::vector<int8_t> image = RandomImages(layer.shape.In().Size(), random);
    std::vector<int32_t> expected(layer.shape.Out().Size());
    WeightedSum(layer.shape, image.data(), network.input_zero_point, layer.weight.data(),
                layer.bias.empty() ? nullptr : layer.bias.data(), expected.data());
    for (const ProductKind kind : kKinds) {
      ASSERT_EQ(ImplicitSums(layer, network.input_zero_point, image, kind), expected);
    }
    with_classes += MakeEpilogueTables(layer, network.input_zero_point).classes.empty() ? 0 : 1;
    ++layers;
  }
  EXPECT_GT(with_classes, 5u);
  EXPECT_LT(with_classes, 55u);
}

TEST(PackedWeightsTest, EachOutputHasOneRow) {
  for (const ProductKind kind : kKinds) {
    std::set<uint32_t> outputs;
    for (uint32_t row = 0; row < 3 * kMaxTileOutputs; ++row) {
      outputs.insert(OutputOfRow(kind, row));
      EXPECT_EQ(OutputOfRow(kind, row) / 64, row / 64) << "a tile's rows are a tile's outputs";
      EXPECT_EQ(RowOfOutput(kind, OutputOfRow(kind, row)), row);
    }
    EXPECT_EQ(outputs.size(), 3 * kMaxTileOutputs);
    EXPECT_EQ(*outputs.rbegin(), 3 * kMaxTileOutputs - 1);
  }
}

TEST(PackedWeightsTest, TablesAreOneClassWithoutPaddingOrZeroPoint) {
  IntegerLayer layer;
  layer.shape = ConvShape("conv", 0, {8, 8, 3}, 5, 3);
  layer.weight.assign(layer.shape.WeightSize(), 2);
  layer.multiplier.assign(5, 0.5f);
  EXPECT_EQ(MakeEpilogueTables(layer, 7).start.size(), 16u);
  EXPECT_EQ(MakeEpilogueTables(layer, 7).start[4], -7 * 2 * 27);
  EXPECT_EQ(MakeEpilogueTables(layer, 7).start[5], 0);
  EXPECT_EQ(MakeEpilogueTables(layer, 7).multiplier[5], 0.0f);
  layer.shape.padding = 1;
  EXPECT_EQ(MakeEpilogueTables(layer, 0).start.size(), 16u);
  const EpilogueTables tables = MakeEpilogueTables(layer, 7);
  EXPECT_EQ(tables.start.size(), 9 * 16u);
  EXPECT_EQ(tables.classes.size(), 64u);
  EXPECT_EQ(tables.start[tables.classes[0] * 16], -7 * 2 * 12);  // a corner: four taps of three channels
}

}  // namespace
}  // namespace lockstep
