#include "lib/kernels/convolution_norm.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/kernels/convolution_norm_kernel.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/tensor_map.h"

namespace lockstep {
namespace {

constexpr uint32_t kBlock = 64;  // channels, of a tile and of a step of its depth
constexpr uint32_t kFilter = 3;
constexpr uint32_t kHalo = kFilter - 1;  // rows of input beyond a tile's
constexpr uint32_t kLineBytes = kBlock * sizeof(__nv_bfloat16);
constexpr uint32_t kSharedBytes = 227 << 10;  // of a block on Hopper: CUDA C++ Programming Guide, compute capability 9.0
constexpr uint32_t kMostWeightSlots = 9;      // all of a step's

uint32_t Log2(uint32_t power) {
  uint32_t log = 0;
  while (1u << log < power) {
    ++log;
  }
  return log;
}

bool IsCovered(const ConvolutionShape& shape) {
  const bool size = shape.in_size == 4 || shape.in_size == 8 || shape.in_size == 16 || shape.in_size == 32;
  return size && shape.filter == kFilter && shape.stride == 1 && shape.in_channels % kBlock == 0 &&
         shape.out_channels % kBlock == 0 && std::max(shape.in_channels, shape.out_channels) <= kMaxBatchNormChannels;
}

// The channels of the product, backward those that came in.
uint32_t OutChannels(const ConvolutionShape& shape, ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward ? shape.out_channels : shape.in_channels;
}
uint32_t DepthChannels(const ConvolutionShape& shape, ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward ? shape.in_channels : shape.out_channels;
}

uint32_t TileImages(const ConvolutionTiles& tiles) { return 1u << tiles.tile_images_log2; }

ConvolutionTiles MakeTiles(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionNormConfig& config) {
  ConvolutionTiles tiles;
  tiles.images = shape.images;
  tiles.size_log2 = Log2(shape.in_size);
  tiles.tile_images_log2 = Log2(std::max(1u, config.pixels / (shape.in_size * shape.in_size)));
  tiles.tile_rows = std::min(shape.in_size, config.pixels / shape.in_size);
  tiles.row_tiles_log2 = Log2(shape.in_size / tiles.tile_rows);
  tiles.channels = OutChannels(shape, pass);
  tiles.depth_blocks = DepthChannels(shape, pass) / kBlock;
  tiles.pixel_tiles = (shape.images + TileImages(tiles) - 1) / TileImages(tiles) << tiles.row_tiles_log2;
  tiles.channel_blocks = tiles.channels / kBlock;
  tiles.splits_log2 = Log2(config.splits);
  return tiles;
}

uint32_t Tiles(const ConvolutionTiles& tiles) { return tiles.pixel_tiles * tiles.channel_blocks; }

// As many slots as there is memory for; the input's first, since a slot of it is three of the weights'.
ConvolutionRings MakeRings(const ConvolutionTiles& tiles, uint32_t pixels) {
  ConvolutionRings rings;
  rings.input_slots = pixels == 256 ? 3 : 4;
  rings.input_bytes = kLineBytes * (TileImages(tiles) << tiles.size_log2) * (tiles.tile_rows + kHalo);
  rings.weight_slots = kMostWeightSlots;
  while (ConvolutionNormSharedBytes(pixels, rings) > kSharedBytes) {
    // With 64 channels nine slots hold all the weights there are: they are loaded once.
    --(tiles.depth_blocks == 1 && rings.input_slots > 3 ? rings.input_slots : rings.weight_slots);
  }
  return rings;
}

uint32_t Blocks(const ConvolutionTiles& tiles, uint32_t multiprocessors) {
  if (tiles.splits_log2 != 0) {
    return Tiles(tiles) << tiles.splits_log2;
  }
  return tiles.channel_blocks * std::min(tiles.pixel_tiles, std::max(1u, multiprocessors / tiles.channel_blocks));
}

absl::StatusOr<CUtensorMap> MapInput(const ConvolutionTiles& tiles, uint64_t channels, const __nv_bfloat16* input) {
  const uint64_t size = uint64_t{1} << tiles.size_log2;
  return MakeTensorMap(input, {{channels, 1, kBlock},
                               {size, channels, static_cast<uint32_t>(size)},
                               {tiles.images, size * size * channels, TileImages(tiles)},
                               {size, size * channels, tiles.tile_rows + kHalo}});
}

absl::StatusOr<CUtensorMap> MapWeights(const ConvolutionShape& shape, const __nv_bfloat16* weights) {
  const uint64_t in = shape.in_channels, taps = kFilter * kFilter;
  return MakeTensorMap(weights, {{in, 1, kBlock}, {taps, in, 1}, {shape.out_channels, taps * in, kBlock}});
}

absl::Status Check(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionNormConfig& config,
                   uint32_t multiprocessors) {
  RETURN_IF_ERROR(CheckConvolutionShape(shape));
  for (const ConvolutionNormConfig& possible : ConvolutionNormConfigs(shape, pass, multiprocessors)) {
    if (possible.pixels == config.pixels && possible.splits == config.splits) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16),
                                                 " with a batch norm's sums is not done in tiles of ", config.pixels,
                                                 " pixels by ", config.splits, " blocks"));
}

absl::Status Run(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionNormConfig& config,
                 uint32_t multiprocessors, const __nv_bfloat16* input, const __nv_bfloat16* weights,
                 ConvolutionNormArguments arguments, cudaStream_t stream) {
  RETURN_IF_ERROR(Check(shape, pass, config, multiprocessors));
  const ConvolutionTiles tiles = MakeTiles(shape, pass, config);
  arguments.tiles = tiles;
  arguments.rings = MakeRings(tiles, config.pixels);
  ASSIGN_OR_RETURN(const CUtensorMap weight_map, MapWeights(shape, weights));
  ASSIGN_OR_RETURN(const CUtensorMap input_map, MapInput(tiles, DepthChannels(shape, pass), input));
  ConvolutionNormLaunch launch;
  launch.backward = pass == ConvolutionPass::kDataGradient;
  launch.pixels = config.pixels;
  launch.blocks = Blocks(tiles, multiprocessors);
  return CudaStatus(LaunchConvolutionNorm(launch, weight_map, input_map, arguments, stream),
                    DescribeConvolution(shape, pass, ConvolutionType::kBf16));
}

}  // namespace

std::vector<ConvolutionNormConfig> ConvolutionNormConfigs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                          uint32_t multiprocessors) {
  if (!IsCovered(shape) || pass == ConvolutionPass::kWeightGradient || multiprocessors == 0) {
    return {};
  }
  std::vector<ConvolutionNormConfig> configs = {{256, 1}, {128, 1}};
  for (uint32_t splits = 2; splits <= 8; splits *= 2) {
    const ConvolutionTiles tiles = MakeTiles(shape, pass, {128, splits});
    if (Tiles(tiles) * splits <= multiprocessors && tiles.depth_blocks * kFilter >= splits) {
      configs.push_back({128, splits});
    }
  }
  return configs;
}

uint32_t ConvolutionNormMultiprocessors() {
  int device = 0, major = 0, minor = 0, multiprocessors = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
  return known && major == 9 && minor == 0 ? static_cast<uint32_t>(multiprocessors) : 0;
}

size_t ConvolutionNormWorkspaceBytes(uint32_t multiprocessors) {
  return kBatchNormCounterBytes + size_t{multiprocessors} * kBlock * 2 * sizeof(float);
}

absl::Status ConvolutionNorm::Forward(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y,
                                      const BatchNormParameters& parameters, const BatchNormState& state, void* workspace,
                                      cudaStream_t stream) const {
  ConvolutionNormArguments arguments;
  arguments.out = y;
  arguments.workspace = workspace;
  arguments.parameters = parameters;
  arguments.state = state;
  return Run(shape_, ConvolutionPass::kForward, config_, multiprocessors_, x, w, arguments, stream);
}

absl::Status ConvolutionNorm::Backward(const __nv_bfloat16* dy, const __nv_bfloat16* w, const Norm& norm, __nv_bfloat16* g,
                                       void* workspace, cudaStream_t stream) const {
  ConvolutionNormArguments arguments;
  arguments.out = g;
  arguments.workspace = workspace;
  arguments.state = norm.state;
  arguments.x = norm.x;
  arguments.addend = norm.addend;
  arguments.relu_mask = norm.relu_mask;
  arguments.gradients = norm.gradients;
  return Run(shape_, ConvolutionPass::kDataGradient, config_, multiprocessors_, dy, w, arguments, stream);
}

}  // namespace lockstep
