#include "lib/kernels/convolution_batch_norm.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/tensor_map.h"
#include "lib/cuda/wait_limit.h"
#include "lib/kernels/convolution_batch_norm_kernel.h"

namespace lockstep {
namespace {

constexpr uint32_t kBlock = 64;       // channels of a tile and of a step of its depth
constexpr uint32_t kMinChannels = 8;  // smallest number of channels whose bytes a tensor map can represent
constexpr uint32_t kFilter = 3;
constexpr uint32_t kHalo = kFilter - 1;  // input rows in addition to a tile's rows
constexpr uint32_t kLineBytes = kBlock * sizeof(__nv_bfloat16);
constexpr uint32_t kMaxWeightSlots = 9;                       // weight slots of a whole step
constexpr uint32_t kShareBytes = kBlock * 2 * sizeof(float);  // bytes of a block's two sums of each channel
// Maximum shared memory of a block on Hopper: CUDA C++ Programming Guide, compute capability 9.0.
constexpr uint32_t kSharedBytes = 227 << 10;

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

uint32_t TileImages(const ConvolutionTiles& tiles) { return 1u << tiles.tile_images_log2; }

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
  tiles.pixel_tiles = (shape.images + TileImages(tiles) - 1) / TileImages(tiles)
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
  rings.input_bytes = kLineBytes * (TileImages(tiles) * tiles.box_columns) * InputRows(tiles, stride);
  rings.weight_slots = std::min(kMaxWeightSlots, tiles.depth_blocks * tiles.filter * tiles.filter);
  rings.exchange_bytes = tiles.splits_log2 != 0 ? kBlock * pixels * sizeof(float) : 0;
  if (config.groups > 2 && tiles.spread_log2 != 0) {
    // Consecutive tiles have the same weights, whose number divides this one if the depth is short. Tiles are short, so
    // that more boxes must be on their way.
    rings.weight_slots = 8;
    rings.input_slots = 6;
    while (ConvolutionBatchNormSharedBytes(rings, config.groups) > kSharedBytes) {
      --rings.input_slots;
    }
  }
  while (ConvolutionBatchNormSharedBytes(rings, config.groups) > kSharedBytes) {
    // With 64 channels, the slots hold all weights, which are loaded once.
    const bool weights_stay = stride == 1 && tiles.depth_blocks == 1;
    --(weights_stay && rings.input_slots > 3 ? rings.input_slots : rings.weight_slots);
  }
  return rings;
}

uint32_t Blocks(const ConvolutionTiles& tiles, uint32_t multiprocessors) {
  if (tiles.splits_log2 != 0) {
    return Tiles(tiles) << tiles.splits_log2;
  }
  return tiles.channel_blocks * std::min(tiles.pixel_tiles, std::max(1u, multiprocessors / tiles.channel_blocks));
}

// Returns the number of tiles of the block with the most tiles.
uint32_t TilesPerBlock(const ConvolutionTiles& tiles, uint32_t multiprocessors) {
  const uint32_t shares = Blocks(tiles, multiprocessors) >> tiles.splits_log2;
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
    if (ConvolutionBatchNormSharedBytes(more, config.groups) > kSharedBytes) {
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
  return !same && depth <= kMaxShortDepth && Tiles(tiles) > (config.groups - 1) * Blocks(tiles, multiprocessors);
}

// Returns where the blocks of a launch that applies the batch norm keep their tiles; kNone: they cannot.
KeptTiles WhereKept(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                    uint32_t multiprocessors) {
  // Multiprocessors come in pairs, so that as many clusters of two blocks run at once as there are pairs. The number of
  // larger clusters depends on how many multiprocessors each part of the GPU has left.
  constexpr uint32_t kMaxSplits = 2;
  const ConvolutionTiles tiles = MakeTiles(shape, pass, config);
  if (config.pixels > 128 || config.splits > kMaxSplits ||
      Blocks(tiles, multiprocessors) > std::min(multiprocessors, kConvolutionBatchNormMaxResidentBlocks)) {
    return KeptTiles::kNone;
  }
  const uint32_t kept = TilesPerBlock(tiles, multiprocessors);
  if (kept <= kMaxTilesInRegisters) {
    return config.groups == 2 ? KeptTiles::kInRegisters : KeptTiles::kNone;
  }
  const bool forward = pass == ConvolutionPass::kForward;
  const bool possible = config.pixels == 128 && config.splits == 1 &&
                        (config.groups == 2 || (forward && GroupsHaveWork(shape, pass, config, multiprocessors)));
  const uint32_t tiles_per_slot = forward ? kMaxTilesPerSlot : 1;
  return possible && kept <= tiles_per_slot * MakeRingsAndSlots(tiles, shape.stride, config, kept).tile_slots
             ? KeptTiles::kInShared
             : KeptTiles::kNone;
}

// Maps the input for a tile: its channels, and every `step`th row and column, starting at the given row and column.
absl::StatusOr<CUtensorMap> MapInput(const ConvolutionTiles& tiles, uint64_t channels, uint64_t step, uint64_t row,
                                     uint64_t column, uint32_t box_rows, const __nv_bfloat16* input) {
  const uint64_t pairs = uint64_t{1} << tiles.size_log2, size = pairs * step;
  return MakeTensorMap(input + (row * size + column) * channels,
                       {{channels, 1, kBlock},
                        {pairs, step * channels, tiles.box_columns},
                        {tiles.images, size * size * channels, TileImages(tiles)},
                        {pairs, step * size * channels, box_rows}});
}

absl::StatusOr<ConvolutionInputMaps> MapInputs(const ConvolutionTiles& tiles, uint32_t stride, uint64_t channels,
                                               const __nv_bfloat16* input) {
  ConvolutionInputMaps maps;
  if (stride == 1 || tiles.spread_log2 != 0) {
    ASSIGN_OR_RETURN(maps.map[0], MapInput(tiles, channels, 1, 0, 0, InputRows(tiles, stride), input));
    return maps;
  }
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t odd_row = i / 2, odd_column = i % 2;
    ASSIGN_OR_RETURN(maps.map[i],
                     MapInput(tiles, channels, stride, odd_row, odd_column, tiles.tile_rows + odd_row, input));
  }
  return maps;
}

absl::StatusOr<CUtensorMap> MapWeights(const ConvolutionShape& shape, const __nv_bfloat16* weights) {
  const uint64_t in = shape.in_channels, taps = uint64_t{shape.filter} * shape.filter;
  return MakeTensorMap(weights, {{in, 1, kBlock}, {taps, in, 1}, {shape.out_channels, taps * in, kBlock}});
}

// Last work of a launch: the sums of the batch norm, or also its application.
enum class Ending { kSums, kApplies };

ConvolutionBatchNormLaunch MakeLaunch(const ConvolutionShape& shape, ConvolutionPass pass,
                                      const ConvolutionBatchNormConfig& config, uint32_t multiprocessors,
                                      Ending ending) {
  ConvolutionBatchNormLaunch launch;
  launch.stride = shape.stride;
  launch.backward = pass == ConvolutionPass::kDataGradient;
  launch.kept = ending == Ending::kApplies ? WhereKept(shape, pass, config, multiprocessors) : KeptTiles::kNone;
  launch.pixels = config.pixels;
  launch.groups = config.groups;
  launch.blocks = Blocks(MakeTiles(shape, pass, config), multiprocessors);
  return launch;
}

ConvolutionRings RingsOf(const ConvolutionBatchNormLaunch& launch, const ConvolutionTiles& tiles,
                         const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  return launch.kept == KeptTiles::kInShared
             ? MakeRingsAndSlots(tiles, launch.stride, config, TilesPerBlock(tiles, multiprocessors))
             : MakeRings(tiles, launch.stride, config);
}

absl::Status Check(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                   uint32_t multiprocessors) {
  RETURN_IF_ERROR(CheckConvolutionShape(shape));
  for (const ConvolutionBatchNormConfig& possible : ConvolutionBatchNormConfigs(shape, pass, multiprocessors)) {
    if (possible == config) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16),
                                                 " with a batch norm's sums is not supported in tiles of ",
                                                 config.pixels, " pixels by ", config.splits, " blocks of ",
                                                 config.groups, " groups"));
}

// Returns the launch, its tiles and its rings, without operands.
PreparedConvolutionBatchNorm Divide(const ConvolutionShape& shape, ConvolutionPass pass,
                                    const ConvolutionBatchNormConfig& config, uint32_t multiprocessors, Ending ending) {
  PreparedConvolutionBatchNorm divided;
  divided.launch = MakeLaunch(shape, pass, config, multiprocessors, ending);
  divided.arguments.tiles = MakeTiles(shape, pass, config);
  divided.arguments.rings = RingsOf(divided.launch, divided.arguments.tiles, config, multiprocessors);
  return divided;
}

std::string Describe(const ConvolutionShape& shape, ConvolutionPass pass) {
  return DescribeConvolution(shape, pass, ConvolutionType::kBf16);
}

// Adds to `arguments` all that depends on the shape, and makes the tensor maps.
absl::StatusOr<PreparedConvolutionBatchNorm> Prepare(const ConvolutionShape& shape, ConvolutionPass pass,
                                                     const ConvolutionBatchNormConfig& config, uint32_t multiprocessors,
                                                     const __nv_bfloat16* input, const __nv_bfloat16* weights,
                                                     const ConvolutionBatchNormArguments& arguments, Ending ending,
                                                     const ConvolutionBatchNorm::Shortcut& shortcut) {
  RETURN_IF_ERROR(Check(shape, pass, config, multiprocessors));
  if (ending == Ending::kApplies && !ConvolutionBatchNormCanApply(shape, pass, config, multiprocessors)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Describe(shape, pass), " is too large for a launch that applies the batch norm, too"));
  }
  PreparedConvolutionBatchNorm prepared = Divide(shape, pass, config, multiprocessors, ending);
  const ConvolutionTiles tiles = prepared.arguments.tiles;
  const ConvolutionRings rings = prepared.arguments.rings;
  prepared.arguments = arguments;
  prepared.arguments.tiles = tiles;
  prepared.arguments.rings = rings;
  prepared.arguments.shortcut = shortcut.dy != nullptr;
  if (prepared.arguments.shortcut && tiles.spread_log2 == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(Describe(shape, pass), " has no shortcut next to it: its stride is not 2"));
  }
  ASSIGN_OR_RETURN(prepared.weights, MapWeights(shape, weights));
  ASSIGN_OR_RETURN(prepared.inputs, MapInputs(tiles, shape.stride, DepthChannels(shape, pass), input));
  if (prepared.arguments.shortcut) {
    ConvolutionShape point = shape;
    point.filter = 1;
    ASSIGN_OR_RETURN(const ConvolutionInputMaps of_shortcut,
                     MapInputs(tiles, shape.stride, DepthChannels(shape, pass), shortcut.dy));
    prepared.inputs.map[1] = of_shortcut.map[0];
    ASSIGN_OR_RETURN(prepared.inputs.map[2], MapWeights(point, shortcut.w));
  }
  if (ending == Ending::kApplies) {
    ASSIGN_OR_RETURN(prepared.arguments.waits,
                     ReportWaits(absl::StrCat(Describe(shape, pass), " that applies its batch norm")));
  }
  return prepared;
}

absl::Status Run(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                 uint32_t multiprocessors, ConvolutionBatchNormLauncher launcher, const __nv_bfloat16* input,
                 const __nv_bfloat16* weights, const ConvolutionBatchNormArguments& arguments, Ending ending,
                 const ConvolutionBatchNorm::Shortcut& shortcut, cudaStream_t stream) {
  ASSIGN_OR_RETURN(const PreparedConvolutionBatchNorm prepared,
                   Prepare(shape, pass, config, multiprocessors, input, weights, arguments, ending, shortcut));
  const ConvolutionBatchNormLauncher run = launcher == nullptr ? &LaunchConvolutionBatchNorm : launcher;
  return CudaStatus(run(prepared.launch, prepared.weights, prepared.inputs, prepared.arguments, stream),
                    Describe(shape, pass));
}

ConvolutionBatchNormArguments ArgumentsWith(const ConvolutionOverlap& overlap) {
  ConvolutionBatchNormArguments arguments;
  arguments.weights_ahead = overlap.weights_ahead;
  arguments.next_early = overlap.next_early;
  return arguments;
}

ConvolutionBatchNormArguments ForwardArguments(const ConvolutionOverlap& overlap, __nv_bfloat16* y,
                                               const BatchNormParameters& parameters, const BatchNormState& state) {
  ConvolutionBatchNormArguments arguments = ArgumentsWith(overlap);
  arguments.out = y;
  arguments.parameters = parameters;
  arguments.state = state;
  return arguments;
}

ConvolutionBatchNormArguments BackwardArguments(const ConvolutionOverlap& overlap,
                                                const ConvolutionBatchNorm::BatchNormOperands& batch_norm,
                                                __nv_bfloat16* g) {
  ConvolutionBatchNormArguments arguments = ArgumentsWith(overlap);
  arguments.out = g;
  arguments.state = batch_norm.state;
  arguments.x = batch_norm.x;
  arguments.addend = batch_norm.addend;
  arguments.relu_mask = batch_norm.relu_mask;
  arguments.gradients = batch_norm.gradients;
  return arguments;
}

}  // namespace

std::string DescribeConvolutionBatchNorm(const ConvolutionBatchNormConfig& config) {
  return absl::StrCat("tiles of ", config.pixels, " pixels, ", config.splits, " splits",
                      config.groups == 2 ? "" : absl::StrCat(", ", config.groups, " groups"));
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
  if (MakeTiles(shape, pass, configs.front()).spread_log2 != 0) {
    return configs;  // a tile's depth depends on its parity
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
  return configs;
}

bool ConvolutionBatchNormCanApply(const ConvolutionShape& shape, ConvolutionPass pass,
                                  const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  return WhereKept(shape, pass, config, multiprocessors) != KeptTiles::kNone;
}

absl::StatusOr<bool> ConvolutionBatchNormMayWait(const ConvolutionShape& shape, ConvolutionPass pass,
                                                 const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  if (!BlocksMayWaitForEachOther()) {
    return false;
  }
  const PreparedConvolutionBatchNorm divided = Divide(shape, pass, config, multiprocessors, Ending::kApplies);
  uint32_t resident = 0;
  RETURN_IF_ERROR(CudaStatus(CountResidentBlocks(divided.launch, divided.arguments, &resident),
                             "counting blocks that run at once"));
  return divided.launch.blocks <= resident;
}

size_t ConvolutionBatchNormLamportBytes() {
  return kLamportHeadBytes + 2 * size_t{kConvolutionBatchNormMaxResidentBlocks} * kShareBytes;
}

size_t ConvolutionBatchNormWorkspaceBytes(uint32_t multiprocessors) {
  return kBatchNormCounterBytes + size_t{multiprocessors} * kShareBytes;
}

absl::Status ConvolutionBatchNorm::Forward(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y,
                                           const BatchNormParameters& parameters, const BatchNormState& state,
                                           void* workspace, cudaStream_t stream) const {
  ConvolutionBatchNormArguments arguments = ForwardArguments(overlap_, y, parameters, state);
  arguments.workspace = workspace;
  return Run(shape_, ConvolutionPass::kForward, config_, multiprocessors_, launcher_, x, w, arguments, Ending::kSums,
             {}, stream);
}

namespace {

ConvolutionBatchNormArguments ApplyingArguments(const ConvolutionOverlap& overlap,
                                                const ConvolutionBatchNorm::AppliedLayer& layer, void* lamport_buffer) {
  ConvolutionBatchNormArguments arguments = ForwardArguments(overlap, layer.raw, layer.parameters, layer.state);
  arguments.lamport_buffer = lamport_buffer;
  arguments.residual = layer.residual;
  arguments.y = layer.y;
  arguments.y_mask = layer.relu_mask;
  return arguments;
}

}  // namespace

absl::Status ConvolutionBatchNorm::ForwardAndApply(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* raw,
                                                   const BatchNormParameters& parameters, const BatchNormState& state,
                                                   const BatchNormResidual<__nv_bfloat16>& residual, __nv_bfloat16* y,
                                                   uint8_t* relu_mask, void* lamport_buffer,
                                                   cudaStream_t stream) const {
  const AppliedLayer layer = {w, raw, parameters, state, residual, y, relu_mask};
  return Run(shape_, ConvolutionPass::kForward, config_, multiprocessors_, launcher_, x, w,
             ApplyingArguments(overlap_, layer, lamport_buffer), Ending::kApplies, {}, stream);
}

PreparedConvolutionBatchNorm ConvolutionBatchNorm::DivideForwardAndApply() const {
  return Divide(shape_, ConvolutionPass::kForward, config_, multiprocessors_, Ending::kApplies);
}

absl::StatusOr<PreparedConvolutionBatchNorm> ConvolutionBatchNorm::PrepareForwardAndApply(const __nv_bfloat16* x,
                                                                                          const AppliedLayer& layer,
                                                                                          void* lamport_buffer) const {
  return Prepare(shape_, ConvolutionPass::kForward, config_, multiprocessors_, x, layer.w,
                 ApplyingArguments(overlap_, layer, lamport_buffer), Ending::kApplies, {});
}

absl::Status ConvolutionBatchNorm::Backward(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Shortcut& shortcut,
                                            const BatchNormOperands& batch_norm, __nv_bfloat16* g, void* workspace,
                                            cudaStream_t stream) const {
  ConvolutionBatchNormArguments arguments = BackwardArguments(overlap_, batch_norm, g);
  arguments.workspace = workspace;
  return Run(shape_, ConvolutionPass::kDataGradient, config_, multiprocessors_, launcher_, dy, w, arguments,
             Ending::kSums, shortcut, stream);
}

absl::Status ConvolutionBatchNorm::BackwardAndApply(const __nv_bfloat16* dy, const __nv_bfloat16* w,
                                                    const Shortcut& shortcut, const BatchNormOperands& batch_norm,
                                                    __nv_bfloat16* g, __nv_bfloat16* dx, void* lamport_buffer,
                                                    cudaStream_t stream) const {
  ConvolutionBatchNormArguments arguments = BackwardArguments(overlap_, batch_norm, g);
  arguments.lamport_buffer = lamport_buffer;
  arguments.y = dx;
  return Run(shape_, ConvolutionPass::kDataGradient, config_, multiprocessors_, launcher_, dy, w, arguments,
             Ending::kApplies, shortcut, stream);
}

}  // namespace lockstep
