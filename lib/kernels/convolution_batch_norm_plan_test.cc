#include "lib/kernels/convolution_batch_norm_plan.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using Ending = ConvolutionBatchNormEnding;

constexpr uint32_t kSms = 132;  // multiprocessors of an H200

// Returns the convolutions of ResNet-18 that the kernel supports.
std::vector<ConvolutionShape> Shapes(uint32_t images) {
  std::vector<ConvolutionShape> shapes = {{images, 32, 32, 64, 1, 1}, {images, 64, 32, 64, 3, 1}};
  for (const uint32_t channels : {64u, 128u, 256u}) {
    const uint32_t size = 2048 / channels;
    shapes.push_back({images, channels, size, 2 * channels, 3, 2});
    shapes.push_back({images, channels, size, 2 * channels, 1, 2});
    shapes.push_back({images, 2 * channels, size / 2, 2 * channels, 3, 1});
  }
  return shapes;
}

// Expects that a launch covers each tile, and that its blocks fit into the shared memory.
void ExpectPossible(const ConvolutionBatchNormPlan& plan, uint32_t multiprocessors) {
  const uint32_t unit = plan.tiles.channel_blocks * (plan.launch.weight_blocks << plan.tiles.splits_log2);
  EXPECT_GT(plan.launch.blocks, 0u);
  EXPECT_EQ(plan.launch.blocks % unit, 0u);
  EXPECT_LE(plan.launch.blocks, std::max(multiprocessors, plan.tiles.channel_blocks));
  EXPECT_EQ(plan.launch.pixels, plan.tiles.tile_images() * plan.tiles.tile_rows << plan.tiles.width_log2);
  EXPECT_GE(
      plan.tiles.pixel_tiles * plan.tiles.tile_images() >> (plan.tiles.row_tiles_log2 + plan.tiles.column_tiles_log2),
      plan.tiles.images);
  EXPECT_LE(ConvolutionBatchNormSharedBytes(plan.rings, plan.launch.groups), kMaxConvolutionSharedBytes);
  EXPECT_GE(plan.rings.input_slots, 2u);
  // One slot is enough for a single weight, which stays.
  EXPECT_GE(plan.rings.weight_slots, std::min(2u, plan.tiles.depth_blocks * plan.tiles.filter * plan.tiles.filter));
}

TEST(ConvolutionBatchNormPlanTest, EveryConfigurationIsPossible) {
  uint32_t applying = 0;
  for (const uint32_t images : {1u, 24u, 32u, 128u, 512u}) {
    for (const ConvolutionShape& shape : Shapes(images)) {
      for (const ConvolutionPass pass : {ConvolutionPass::kForward, ConvolutionPass::kDataGradient}) {
        for (const uint32_t sms : {kSms, 66u, 7u}) {
          for (const ConvolutionBatchNormConfig& config : ConvolutionBatchNormConfigs(shape, pass, sms)) {
            SCOPED_TRACE(DescribeConvolution(shape, pass, ConvolutionType::kBf16) + ", " +
                         DescribeConvolutionBatchNorm(config));
            ExpectPossible(PlanConvolutionBatchNorm(shape, pass, config, sms, Ending::kSums), sms);
            if (ConvolutionBatchNormCanApply(shape, pass, config, sms)) {
              const ConvolutionBatchNormPlan plan =
                  PlanConvolutionBatchNorm(shape, pass, config, sms, Ending::kApplies);
              ExpectPossible(plan, sms);
              EXPECT_NE(plan.launch.kept, KeptTiles::kNone);
              EXPECT_LE(plan.launch.blocks, sms);
              ++applying;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(applying, 0u);
}

// Layer 4 at batch 512 on an H200: 8 blocks of channels leave 16 blocks for each.
TEST(ConvolutionBatchNormPlanTest, ImagesOf4x4) {
  const ConvolutionShape shape = {512, 512, 4, 512, 3, 1};
  const ConvolutionPass pass = ConvolutionPass::kForward;
  const ConvolutionBatchNormPlan wide = PlanConvolutionBatchNorm(shape, pass, {256, 1}, kSms, Ending::kSums);
  EXPECT_EQ(wide.tiles.pixel_tiles, 32u);  // 16 images each
  EXPECT_EQ(wide.tiles.stages, 24u);       // 8 blocks of channels, 3 columns of the filter
  EXPECT_EQ(wide.launch.blocks, 128u);
  EXPECT_EQ(wide.input_rows, 6u);
  EXPECT_EQ(wide.depth_channels, 512u);
  const ConvolutionBatchNormPlan narrow = PlanConvolutionBatchNorm(shape, pass, {128, 1}, kSms, Ending::kSums);
  EXPECT_EQ(narrow.tiles.pixel_tiles, 64u);
  EXPECT_EQ(narrow.launch.blocks, 128u);
  EXPECT_EQ(narrow.rings.weight_slots, 9u);
  EXPECT_EQ(narrow.rings.tile_slots, 0u);
  const ConvolutionBatchNormPlan applying = PlanConvolutionBatchNorm(shape, pass, {128, 1}, kSms, Ending::kApplies);
  // A block has four tiles. Next to four slots of 24 KiB for input and nine of 8 KiB for weights, there is room for two
  // slots of 16 KiB, but not for four.
  EXPECT_EQ(applying.launch.kept, KeptTiles::kInShared);
  EXPECT_EQ(applying.rings.input_bytes, 24u << 10);
  EXPECT_EQ(applying.rings.tile_slots, 2u);
}

TEST(ConvolutionBatchNormPlanTest, CoversWhatResNet18RepeatsAndNothingElse) {
  const auto count = [](ConvolutionShape shape, ConvolutionPass pass) {
    return ConvolutionBatchNormConfigs(shape, pass, 132).size();
  };
  // 32 images of 4x4, 512 channels: 4 by 8 tiles of 128 pixels, so that 2 or 4 blocks per tile fill the GPU, and 8 do
  // not fit; or 8 by 8 tiles of 64 pixels, with 1 or 2 blocks each. Tiles of one block also come in pairs.
  EXPECT_EQ(count({32, 512, 4, 512, 3, 1}, ConvolutionPass::kForward), 9u);
  EXPECT_EQ(count({32, 512, 4, 512, 3, 1}, ConvolutionPass::kDataGradient), 6u);
  // A short depth and many tiles: three groups, too.
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient), 3u);
  EXPECT_EQ(count({512, 128, 16, 128, 3, 1}, ConvolutionPass::kDataGradient), 3u);
  EXPECT_EQ(count({512, 256, 8, 256, 3, 1}, ConvolutionPass::kDataGradient), 4u);  // two of them of pairs
  EXPECT_EQ(count({33, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient), 2u);    // 264 tiles of 128 pixels, 2 a block
  EXPECT_EQ(count({34, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient), 3u);    // 272
  // The data gradients of layer 1 on the multiprocessors that a step has for them: 256 tiles, 2 or 3 in a block.
  EXPECT_EQ(ConvolutionBatchNormConfigs({32, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient, 88).size(), 3u);
  EXPECT_EQ(count({8192, 64, 4, 64, 3, 1}, ConvolutionPass::kForward), 2u);  // images too small for three groups
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}, ConvolutionPass::kWeightGradient), 0u);
  EXPECT_EQ(count({512, 64, 32, 128, 3, 2}, ConvolutionPass::kForward), 3u);
  EXPECT_EQ(count({512, 64, 32, 128, 1, 2}, ConvolutionPass::kForward), 3u);
  EXPECT_EQ(count({512, 64, 32, 128, 3, 2}, ConvolutionPass::kDataGradient), 3u);
  EXPECT_EQ(count({512, 256, 8, 512, 3, 2}, ConvolutionPass::kDataGradient), 5u);  // two of them of pairs
  EXPECT_EQ(count({512, 256, 8, 512, 3, 2}, ConvolutionPass::kForward), 4u);
  EXPECT_EQ(count({512, 64, 32, 128, 1, 2}, ConvolutionPass::kDataGradient), 0u);  // supported only as a shortcut
  EXPECT_EQ(count({512, 64, 32, 128, 3, 4}, ConvolutionPass::kForward), 0u);       // unsupported stride
  EXPECT_EQ(count({512, 32, 32, 64, 1, 1}, ConvolutionPass::kForward), 3u);
  EXPECT_EQ(count({512, 32, 32, 64, 1, 1}, ConvolutionPass::kDataGradient), 0u);
  EXPECT_EQ(count({32, 64, 32, 128, 5, 1}, ConvolutionPass::kForward), 0u);  // unsupported filter
  EXPECT_EQ(count({32, 8, 32, 64, 3, 1}, ConvolutionPass::kForward), 0u);    // unsupported number of channels
  EXPECT_EQ(count({32, 12, 32, 64, 1, 1}, ConvolutionPass::kForward), 0u);
  EXPECT_EQ(count({32, 96, 32, 64, 1, 1}, ConvolutionPass::kForward), 0u);
  EXPECT_EQ(ConvolutionBatchNormConfigs({32, 64, 32, 64, 3, 1}, ConvolutionPass::kForward, 0).size(), 0u);  // no GPU
}

TEST(ConvolutionBatchNormPlanTest, PairsShareWeightsIfAllTilesFormPairs) {
  const auto pairs = [](ConvolutionShape shape, ConvolutionPass pass, uint32_t pixels, uint32_t multiprocessors = 132) {
    const std::vector<ConvolutionBatchNormConfig> configs = ConvolutionBatchNormConfigs(shape, pass, multiprocessors);
    return std::find(configs.begin(), configs.end(), ConvolutionBatchNormConfig{pixels, 1, 2, 2}) != configs.end();
  };
  const ConvolutionPass forward = ConvolutionPass::kForward, backward = ConvolutionPass::kDataGradient;
  EXPECT_TRUE(pairs({32, 512, 4, 512, 3, 1}, forward, 256));  // 2 pixel tiles
  EXPECT_TRUE(pairs({32, 512, 4, 512, 3, 1}, forward, 128));  // 4
  EXPECT_TRUE(pairs({32, 512, 4, 512, 3, 1}, forward, 64));   // 8
  EXPECT_TRUE(pairs({32, 512, 4, 512, 3, 1}, backward, 128));
  EXPECT_FALSE(pairs({32, 512, 4, 512, 3, 1}, backward, 64));  // no tiles of 64 pixels
  EXPECT_FALSE(pairs({16, 512, 4, 512, 3, 1}, forward, 256));  // 1 pixel tile
  EXPECT_FALSE(pairs({24, 512, 4, 512, 3, 1}, forward, 128));  // 3
  EXPECT_TRUE(pairs({24, 512, 4, 512, 3, 1}, forward, 64));    // 6
  EXPECT_TRUE(pairs({128, 256, 8, 256, 3, 1}, forward, 128));
  EXPECT_FALSE(pairs({128, 256, 8, 256, 3, 1}, forward, 64));  // single blocks would not all run at once
  EXPECT_TRUE(pairs({128, 256, 8, 256, 3, 1}, backward, 128, 66));
  EXPECT_TRUE(pairs({128, 256, 8, 256, 3, 1}, backward, 128, 8));   // one pair for each of four channel blocks
  EXPECT_FALSE(pairs({128, 256, 8, 256, 3, 1}, backward, 128, 7));  // one block
  EXPECT_FALSE(pairs({128, 128, 16, 128, 3, 1}, forward, 128));     // too few channels
  EXPECT_FALSE(pairs({128, 256, 8, 64, 3, 1}, backward, 128));      // the weights of a tile fit into its slots
  EXPECT_FALSE(pairs({128, 256, 8, 512, 1, 2}, forward, 128));      // a filter of 1
  EXPECT_TRUE(pairs({16, 256, 8, 512, 3, 2}, backward, 128));       // 2 pixel tiles of each parity
  EXPECT_FALSE(pairs({24, 256, 8, 512, 3, 2}, backward, 128));      // 3 of each, whose weights differ
  EXPECT_FALSE(pairs({24, 256, 8, 512, 3, 2}, forward, 128));
}

TEST(ConvolutionBatchNormPlanTest, AppliesWhereAllTilesCanBeKept) {
  const auto can = [](ConvolutionShape shape, ConvolutionBatchNormConfig config,
                      ConvolutionPass pass = ConvolutionPass::kForward, uint32_t multiprocessors = 132) {
    return ConvolutionBatchNormCanApply(shape, pass, config, multiprocessors);
  };
  EXPECT_TRUE(can({32, 64, 32, 64, 3, 1}, {128, 1}));   // 256 tiles
  EXPECT_TRUE(can({33, 64, 32, 64, 3, 1}, {128, 1}));   // 264 tiles, two for each of 132 blocks
  EXPECT_FALSE(can({32, 64, 32, 64, 3, 1}, {256, 1}));  // a tile too large to keep
  EXPECT_FALSE(can({32, 64, 32, 64, 3, 1}, {128, 1, 3}));
  // More tiles stay in shared memory. Four slots of 16 KiB fit next to nine slots of 8 KiB for weights and three of 23
  // KiB for input, and a block has up to three times as many tiles as slots.
  EXPECT_TRUE(can({34, 64, 32, 64, 3, 1}, {128, 1}));    // 272 tiles
  EXPECT_TRUE(can({198, 64, 32, 64, 3, 1}, {128, 1}));   // 1,584 tiles, 12 for each block
  EXPECT_FALSE(can({199, 64, 32, 64, 3, 1}, {128, 1}));  // 1,592 tiles
  EXPECT_FALSE(can({50, 64, 32, 64, 3, 1}, {256, 1}));
  EXPECT_FALSE(can({33, 64, 32, 64, 3, 1}, {128, 1, 3}));   // two tiles for each block
  EXPECT_TRUE(can({50, 64, 32, 64, 3, 1}, {128, 1, 3}));    // 400 tiles
  EXPECT_TRUE(can({148, 64, 32, 64, 3, 1}, {128, 1, 3}));   // 1,184 tiles, 9 for each block, whose slots are 3
  EXPECT_FALSE(can({149, 64, 32, 64, 3, 1}, {128, 1, 3}));  // 1,192 tiles
  EXPECT_FALSE(can({128, 64, 32, 64, 3, 1}, {128, 1}, ConvolutionPass::kDataGradient));
  EXPECT_TRUE(can({32, 512, 4, 512, 3, 1}, {128, 2}));  // 32 tiles by two blocks
  EXPECT_FALSE(can({32, 512, 4, 512, 3, 1}, {128, 4}));
  // Pairs keep at most two tiles in registers.
  EXPECT_TRUE(can({128, 256, 8, 256, 3, 1}, {128, 1, 2, 2}));  // 256 tiles by 128 blocks
  EXPECT_FALSE(can({128, 256, 8, 256, 3, 1}, {256, 1, 2, 2}));
  EXPECT_FALSE(can({132, 256, 8, 256, 3, 1}, {128, 1, 2, 2}));  // 264 tiles, 3 in some of 128 blocks
  EXPECT_TRUE(can({132, 256, 8, 256, 3, 1}, {128, 1}));         // 264 tiles by 132 blocks
  EXPECT_TRUE(can({32, 64, 32, 64, 3, 1}, {128, 1}, ConvolutionPass::kDataGradient, 88));   // 256 tiles, 3 per block
  EXPECT_TRUE(can({44, 64, 32, 64, 3, 1}, {128, 1}, ConvolutionPass::kDataGradient, 88));   // 352, 4 per block
  EXPECT_FALSE(can({45, 64, 32, 64, 3, 1}, {128, 1}, ConvolutionPass::kDataGradient, 88));  // 360: more than slots
  EXPECT_FALSE(can({50, 64, 32, 64, 3, 1}, {128, 1, 3}, ConvolutionPass::kDataGradient));
  EXPECT_TRUE(can({32, 128, 16, 128, 3, 1}, {128, 1}, ConvolutionPass::kDataGradient, 66));  // 128 tiles
  EXPECT_TRUE(can({32, 128, 16, 256, 3, 2}, {128, 1}, ConvolutionPass::kDataGradient, 66));  // interleaved: 128
}

}  // namespace
}  // namespace lockstep
