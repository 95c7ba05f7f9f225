#include "lib/kernels/convolution_batch_norm_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/kernels/batch_norm.h"

namespace lockstep {
namespace {

constexpr uint32_t kBlock = kConvolutionBlockChannels;
constexpr uint32_t kMinChannels = 8;  // smallest number of channels whose bytes a tensor map can represent
constexpr uint32_t kFilter = 3;
constexpr uint32_t kHalo = kFilter - 1;  // input rows in addition to a tile's rows
constexpr uint32_t kLineBytes = kBlock * sizeof(__nv_bfloat16);
constexpr uint32_t kMaxWeightSlots = 9;  // weight slots of a whole step

uint32_t Log2(uint32_t power) {
  uint32_t log = 0;
  while (1u << log < power) {
    ++log;
  }
  return log;
}

bool IsCovered(const ConvolutionShape& shape, ConvolutionPass pass) {
  if ((shape.stride != 1 && shape.stride != 2) || pass == ConvolutionPass::kWeightGradient ||
      shape.out_channels % kBlock != 0 || std::max(shape.in_channels, shape.out_channels) > kMaxBatchNormChannels) {
    return false;
  }
  const uint32_t size = shape.in_size / shape.stride;
  const bool whole_lines = shape.in_channels % kBlock == 0;
  const bool points = shape.filter == 1 && pass == ConvolutionPass::kForward &&
                      (whole_lines || (shape.in_channels < kBlock && shape.in_channels % kMinChannels == 0));
  return (size == 4 || size == 8 || size == 16 || size == 32) && ((shape.filter == kFilter && whole_lines) || points);
}

// Returns the output channels of the matrix product: backward, the convolution's input channels.
uint32_t OutChannels(const ConvolutionShape& shape, ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward ? shape.out_channels : shape.in_channels;
}
uint32_t DepthChannels(const ConvolutionShape& shape, ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward ? shape.in_channels : shape.out_channels;
}

ConvolutionTiles MakeTiles(const ConvolutionShape& shape, ConvolutionPass pass,
                           const ConvolutionBatchNormConfig& config) {
  const uint32_t size = shape.in_size / shape.stride;
  const bool spread = pass == ConvolutionPass::kDataGradient && shape.stride == 2;
  const bool bordered = shape.stride == 1 && shape.filter == kFilter && size >= kBoxColumns - kHalo;
  const uint32_t width = bordered ? kBoxColumns - kHalo : size;
  ConvolutionTiles tiles;
  tiles.spread_log2 = spread ? 1 : 0;
  tiles.images = shape.images;
  tiles.size_log2 = Log2(size);
  tiles.width_log2 = Log2(width);
  tiles.tile_images_log2 = Log2(std::max(1u, config.pixels / (width * size)));
  tiles.tile_rows = std::min(size, config.pixels / width);
  tiles.column_tiles_log2 = Log2(size / width);
  tiles.row_tiles_log2 = Log2(size / tiles.tile_rows);
  tiles.box_columns = bordered ? kBoxColumns : size;
  tiles.filter = shape.filter;
  tiles.channels = OutChannels(shape, pass);
  tiles.depth_blocks = (DepthChannels(shape, pass) + kBlock - 1) / kBlock;
  tiles.stages = tiles.depth_blocks * (bordered ? 1 : shape.filter);
  tiles.pixel_tiles = (shape.images + tiles.tile_images() - 1) / tiles.tile_images()
                      << (tiles.row_tiles_log2 + tiles.column_tiles_log2);
  tiles.pixel_tiles *= spread ? 4 : 1;
  tiles.channel_blocks = tiles.channels / kBlock;
  tiles.splits_log2 = Log2(config.splits);
  return tiles;
}

uint32_t Tiles(const ConvolutionTiles& tiles) { return tiles.pixel_tiles * tiles.channel_blocks; }

// Returns the number of input rows that a stage reads.
uint32_t InputRows(const ConvolutionTiles& tiles, uint32_t stride) {
  if (tiles.spread_log2 != 0) {
    return tiles.tile_rows + 1;
  }
  return tiles.filter == 1 ? tiles.tile_rows : stride == 1 ? tiles.tile_rows + kHalo : 2 * tiles.tile_rows + 1;
}

// Returns as many slots as fit into shared memory. Input slots have priority, because a stage uses one input slot and
// three or nine weight slots.
ConvolutionRings MakeRings(const ConvolutionTiles& tiles, uint32_t stride, const ConvolutionBatchNormConfig& config) {
  const uint32_t pixels = config.pixels;
  ConvolutionRings rings;
  const bool halved = stride == 2 && tiles.filter != 1 && tiles.spread_log2 == 0;  // boxes are twice as large
  // Boxes for all nine taps are larger, too.
  rings.input_slots = (pixels == 256 ? 3 : 4) - (halved || tiles.bordered() ? 1 : 0);
  rings.input_bytes = kLineBytes * (tiles.tile_images() * tiles.box_columns) * InputRows(tiles, stride);
  rings.weight_slots = std::min(kMaxWeightSlots, tiles.depth_blocks * tiles.filter * tiles.filter);
  rings.exchange_bytes = tiles.splits_log2 != 0 ? kBlock * pixels * sizeof(float) : 0;
  if (config.groups > 2 && tiles.spread_log2 != 0) {
    // Consecutive tiles have the same weights, whose number divides this one if the depth is short. Tiles are short, so
    // that more boxes must be on their way.
    rings.weight_slots = 8;
    rings.input_slots = 6;
    while (ConvolutionBatchNormSharedBytes(rings, config.groups) > kMaxConvolutionSharedBytes) {
      --rings.input_slots;
    }
  }
  while (ConvolutionBatchNormSharedBytes(rings, config.groups) > kMaxConvolutionSharedBytes) {
    // With 64 channels, the slots hold all weights, which are loaded once.
    const bool weights_stay = stride == 1 && tiles.depth_blocks == 1;
    --(weights_stay && rings.input_slots > 3 ? rings.input_slots : rings.weight_slots);
  }
  return rings;
}

uint32_t Blocks(const ConvolutionTiles& tiles, const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  if (tiles.splits_log2 != 0) {
    return Tiles(tiles) << tiles.splits_log2;
  }
  const uint32_t shares = std::min(tiles.pixel_tiles, std::max(1u, multiprocessors / tiles.channel_blocks));
  return tiles.channel_blocks * (shares - shares % config.weight_blocks);
}

// Returns the number of tiles of the block with the most tiles.
uint32_t TilesPerBlock(const ConvolutionTiles& tiles, const ConvolutionBatchNormConfig& config,
                       uint32_t multiprocessors) {
  const uint32_t shares = Blocks(tiles, config, multiprocessors) >> tiles.splits_log2;
  return (Tiles(tiles) + shares - 1) / shares;
}

// Number of tiles per slot in shared memory up to which a forward launch applies the batch norm. The other tiles are
// read again from the output.
constexpr uint32_t kMaxTilesPerSlot = 3;

// Returns the rings of a launch whose blocks keep tiles in shared memory (KeptTiles::kInShared): those of MakeRings,
// and as many slots for tiles as fit next to them, but not more than the `kept` tiles need.
ConvolutionRings MakeRingsAndSlots(const ConvolutionTiles& tiles, uint32_t stride,
                                   const ConvolutionBatchNormConfig& config, uint32_t kept) {
  ConvolutionRings rings = MakeRings(tiles, stride, config);
  rings.tile_slots = config.groups;  // MakeRings leaves room for them
  while (rings.tile_slots < kept) {
    ConvolutionRings more = rings;
    more.tile_slots += config.groups;
    if (ConvolutionBatchNormSharedBytes(more, config.groups) > kMaxConvolutionSharedBytes) {
      break;
    }
    rings = more;
  }
  return rings;
}

constexpr ConvolutionBatchNormConfig kThreeGroups = {128, 1, 3};
// Maximum depth of a tile, in blocks of 64 channels of one tap, for which three groups are timed. The tensor cores need
// 256 cycles per block (four instructions of 64), so that deeper tiles multiply for longer than another group writes.
constexpr uint32_t kMaxShortDepth = 18;

// Returns whether more than two groups may be faster: the depth of the tiles is short, and each group of some block has
// a tile.
bool GroupsHaveWork(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                    uint32_t multiprocessors) {
  const ConvolutionTiles tiles = MakeTiles(shape, pass, config);
  const bool same = shape.stride == 1 && shape.filter == kFilter && !tiles.bordered();
  const uint32_t depth =
      tiles.depth_blocks * shape.filter * shape.filter >> 2 * tiles.spread_log2;  // mean of all tiles
  return !same && depth <= kMaxShortDepth &&
         Tiles(tiles) > (config.groups - 1) * Blocks(tiles, config, multiprocessors);
}

// Least number of channels, in blocks of 64, for which pairs of blocks are timed: the layers whose tiles read more
// weights than input. From two blocks of depth on, the weights of a tile do not fit into their slots.
constexpr uint32_t kMinPairBlocks = 4;
constexpr uint32_t kMinPairDepthBlocks = 2;

// Returns whether pairs of blocks can copy their weights together: all pixel tiles form pairs with the same weights,
// and there are two blocks for each block of channels.
bool PairsShareWeights(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                       uint32_t multiprocessors) {
  const ConvolutionTiles tiles = MakeTiles(shape, pass, config);
  const uint32_t of_one_parity = tiles.pixel_tiles >> 2 * tiles.spread_log2;
  return shape.filter == kFilter && std::max(tiles.channel_blocks, tiles.depth_blocks) >= kMinPairBlocks &&
         tiles.depth_blocks >= kMinPairDepthBlocks && of_one_parity % kPairBlocks == 0 &&
         multiprocessors / tiles.channel_blocks >= kPairBlocks;
}

// Returns where the blocks of a launch that applies the batch norm keep their tiles; kNone: they cannot.
KeptTiles WhereKept(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                    uint32_t multiprocessors) {
  // Multiprocessors come in pairs, so that as many clusters of two blocks run at once as there are pairs. The number of
  // larger clusters depends on how many multiprocessors each part of the GPU has left.
  constexpr uint32_t kMaxSplits = 2;
  const ConvolutionTiles tiles = MakeTiles(shape, pass, config);
  if (config.pixels > 128 || config.splits > kMaxSplits ||
      Blocks(tiles, config, multiprocessors) > std::min(multiprocessors, kConvolutionBatchNormMaxResidentBlocks)) {
    return KeptTiles::kNone;
  }
  const uint32_t kept = TilesPerBlock(tiles, config, multiprocessors);
  if (kept <= kMaxTilesInRegisters) {
    return config.groups == 2 ? KeptTiles::kInRegisters : KeptTiles::kNone;
  }
  const bool forward = pass == ConvolutionPass::kForward;
  const bool possible = config.pixels == 128 && config.splits == 1 && config.weight_blocks == 1 &&
                        (config.groups == 2 || (forward && GroupsHaveWork(shape, pass, config, multiprocessors)));
  const uint32_t tiles_per_slot = forward ? kMaxTilesPerSlot : 1;
  return possible && kept <= tiles_per_slot * MakeRingsAndSlots(tiles, shape.stride, config, kept).tile_slots
             ? KeptTiles::kInShared
             : KeptTiles::kNone;
}

}  // namespace

std::string DescribeConvolutionBatchNorm(const ConvolutionBatchNormConfig& config) {
  return absl::StrCat("tiles of ", config.pixels, " pixels, ", config.splits, " splits",
                      config.groups == 2 ? "" : absl::StrCat(", ", config.groups, " groups"),
                      config.weight_blocks == 1 ? "" : ", pairs share weights");
}

std::vector<ConvolutionBatchNormConfig> ConvolutionBatchNormConfigs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                                    uint32_t multiprocessors) {
  if (!IsCovered(shape, pass) || multiprocessors == 0) {
    return {};
  }
  std::vector<ConvolutionBatchNormConfig> configs = {{256, 1}, {128, 1}};
  if (GroupsHaveWork(shape, pass, kThreeGroups, multiprocessors)) {
    configs.push_back(kThreeGroups);
  }
  const auto add_pairs = [&](uint32_t pixels) {
    const ConvolutionBatchNormConfig pairs = {pixels, 1, 2, kPairBlocks};
    if (PairsShareWeights(shape, pass, pairs, multiprocessors)) {
      configs.push_back(pairs);
    }
  };
  if (MakeTiles(shape, pass, configs.front()).spread_log2 != 0) {
    add_pairs(256);
    add_pairs(128);
    return configs;  // no splits: a tile's depth depends on its parity
  }
  const auto add = [&](uint32_t pixels, uint32_t min_splits, uint32_t max_splits) {
    for (uint32_t splits = min_splits; splits <= max_splits; splits *= 2) {
      const ConvolutionTiles tiles = MakeTiles(shape, pass, {pixels, splits});
      if (Tiles(tiles) * splits <= multiprocessors && tiles.stages >= splits) {
        configs.push_back({pixels, splits});
      }
    }
  };
  add(128, 2, 8);
  // Smaller tiles are added if all of them still run at once and nothing else needs the multiprocessors. In the
  // backward pass other work does, and with a stride of 2 a shortcut does.
  if (pass == ConvolutionPass::kForward && shape.stride == 1) {
    add(64, 1, 2);
  }
  add_pairs(256);
  add_pairs(128);
  if (std::find(configs.begin(), configs.end(), ConvolutionBatchNormConfig{64, 1}) != configs.end()) {
    add_pairs(64);
  }
  return configs;
}

bool ConvolutionBatchNormCanApply(const ConvolutionShape& shape, ConvolutionPass pass,
                                  const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  return WhereKept(shape, pass, config, multiprocessors) != KeptTiles::kNone;
}

ConvolutionBatchNormPlan PlanConvolutionBatchNorm(const ConvolutionShape& shape, ConvolutionPass pass,
                                                  const ConvolutionBatchNormConfig& config, uint32_t multiprocessors,
                                                  ConvolutionBatchNormEnding ending) {
  ConvolutionBatchNormPlan plan;
  plan.tiles = MakeTiles(shape, pass, config);
  plan.depth_channels = DepthChannels(shape, pass);
  plan.input_rows = InputRows(plan.tiles, shape.stride);
  plan.launch.stride = shape.stride;
  plan.launch.backward = pass == ConvolutionPass::kDataGradient;
  plan.launch.kept = ending == ConvolutionBatchNormEnding::kApplies ? WhereKept(shape, pass, config, multiprocessors)
                                                                    : KeptTiles::kNone;
  plan.launch.pixels = config.pixels;
  plan.launch.groups = config.groups;
  plan.launch.weight_blocks = config.weight_blocks;
  plan.launch.blocks = Blocks(plan.tiles, config, multiprocessors);
  plan.rings =
      plan.launch.kept == KeptTiles::kInShared
          ? MakeRingsAndSlots(plan.tiles, shape.stride, config, TilesPerBlock(plan.tiles, config, multiprocessors))
          : MakeRings(plan.tiles, shape.stride, config);
  return plan;
}

}  // namespace lockstep
