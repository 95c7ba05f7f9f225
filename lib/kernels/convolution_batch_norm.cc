#include "lib/kernels/convolution_batch_norm.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/tensor_map.h"
#include "lib/cuda/wait_limit.h"

namespace lockstep {
namespace {

using Ending = ConvolutionBatchNormEnding;

// Bytes of a block's two sums of each channel.
constexpr uint32_t kShareBytes = kConvolutionBlockChannels * 2 * sizeof(float);

// Maps the input for a tile: its channels, and every `step`th row and column, starting at the given row and column.
absl::StatusOr<CUtensorMap> MapInput(const ConvolutionTiles& tiles, uint64_t channels, uint64_t step, uint64_t row,
                                     uint64_t column, uint32_t box_rows, const __nv_bfloat16* input) {
  const uint64_t pairs = uint64_t{1} << tiles.size_log2, size = pairs * step;
  return MakeTensorMap(input + (row * size + column) * channels,
                       {{channels, 1, kConvolutionBlockChannels},
                        {pairs, step * channels, tiles.box_columns},
                        {tiles.images, size * size * channels, tiles.tile_images()},
                        {pairs, step * size * channels, box_rows}});
}

absl::StatusOr<ConvolutionInputMaps> MapInputs(const ConvolutionBatchNormPlan& plan, const __nv_bfloat16* input) {
  const ConvolutionTiles& tiles = plan.tiles;
  const uint32_t stride = plan.launch.stride;
  const uint64_t channels = plan.depth_channels;
  ConvolutionInputMaps maps;
  if (stride == 1 || tiles.spread_log2 != 0) {
    ASSIGN_OR_RETURN(maps.map[0], MapInput(tiles, channels, 1, 0, 0, plan.input_rows, input));
    return maps;
  }
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t odd_row = i / 2, odd_column = i % 2;
    ASSIGN_OR_RETURN(maps.map[i],
                     MapInput(tiles, channels, stride, odd_row, odd_column, tiles.tile_rows + odd_row, input));
  }
  return maps;
}

// `blocks`: number of blocks of which each copies a part of a slot.
absl::StatusOr<CUtensorMap> MapWeights(const ConvolutionShape& shape, uint32_t blocks, const __nv_bfloat16* weights) {
  const uint64_t in = shape.in_channels, taps = uint64_t{shape.filter} * shape.filter;
  return MakeTensorMap(weights, {{in, 1, kConvolutionBlockChannels},
                                 {taps, in, 1},
                                 {shape.out_channels, taps * in, kConvolutionBlockChannels / blocks}});
}

absl::Status Check(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                   uint32_t multiprocessors) {
  RETURN_IF_ERROR(CheckConvolutionShape(shape));
  for (const ConvolutionBatchNormConfig& possible : ConvolutionBatchNormConfigs(shape, pass, multiprocessors)) {
    if (possible == config) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      DescribeConvolution(shape, pass, ConvolutionType::kBf16),
      " with a batch norm's sums is not supported in tiles of ", config.pixels, " pixels by ", config.splits,
      " blocks of ", config.groups, " groups",
      config.weight_blocks == 1 ? "" : absl::StrCat(", ", config.weight_blocks, " blocks sharing weights")));
}

absl::Status Run(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config,
                 uint32_t multiprocessors, ConvolutionBatchNormLauncher launcher, const __nv_bfloat16* input,
                 const __nv_bfloat16* weights, ConvolutionBatchNormArguments arguments, Ending ending,
                 const ConvolutionBatchNorm::Shortcut& shortcut, cudaStream_t stream) {
  RETURN_IF_ERROR(Check(shape, pass, config, multiprocessors));
  if (ending == Ending::kApplies && !ConvolutionBatchNormCanApply(shape, pass, config, multiprocessors)) {
    return absl::InvalidArgumentError(absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16),
                                                   " is too large for a launch that applies the batch norm, too"));
  }
  const ConvolutionBatchNormPlan plan = PlanConvolutionBatchNorm(shape, pass, config, multiprocessors, ending);
  arguments.shortcut = shortcut.dy != nullptr;
  if (arguments.shortcut && plan.tiles.spread_log2 == 0) {
    return absl::InvalidArgumentError(absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16),
                                                   " has no shortcut next to it: its stride is not 2"));
  }
  arguments.tiles = plan.tiles;
  arguments.rings = plan.rings;
  ASSIGN_OR_RETURN(const CUtensorMap weight_map, MapWeights(shape, config.weight_blocks, weights));
  ASSIGN_OR_RETURN(ConvolutionInputMaps input_maps, MapInputs(plan, input));
  if (arguments.shortcut) {
    ConvolutionShape point = shape;
    point.filter = 1;
    ASSIGN_OR_RETURN(const ConvolutionInputMaps of_shortcut, MapInputs(plan, shortcut.dy));
    input_maps.map[1] = of_shortcut.map[0];
    ASSIGN_OR_RETURN(input_maps.map[2], MapWeights(point, config.weight_blocks, shortcut.w));
  }
  const std::string what = DescribeConvolution(shape, pass, ConvolutionType::kBf16);
  if (ending == Ending::kApplies) {
    ASSIGN_OR_RETURN(arguments.waits, ReportWaits(absl::StrCat(what, " that applies its batch norm")));
  }
  const ConvolutionBatchNormLauncher run = launcher == nullptr ? &LaunchConvolutionBatchNorm : launcher;
  return CudaStatus(run(plan.launch, weight_map, input_maps, arguments, stream), what);
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

absl::StatusOr<bool> ConvolutionBatchNormMayWait(const ConvolutionShape& shape, ConvolutionPass pass,
                                                 const ConvolutionBatchNormConfig& config, uint32_t multiprocessors) {
  if (!BlocksMayWaitForEachOther()) {
    return false;
  }
  const ConvolutionBatchNormPlan plan =
      PlanConvolutionBatchNorm(shape, pass, config, multiprocessors, Ending::kApplies);
  ConvolutionBatchNormArguments arguments;
  arguments.tiles = plan.tiles;
  arguments.rings = plan.rings;
  uint32_t resident = 0;
  RETURN_IF_ERROR(
      CudaStatus(CountResidentBlocks(plan.launch, arguments, &resident), "counting blocks that run at once"));
  return plan.launch.blocks <= resident;
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

absl::Status ConvolutionBatchNorm::ForwardAndApply(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* raw,
                                                   const BatchNormParameters& parameters, const BatchNormState& state,
                                                   const BatchNormResidual<__nv_bfloat16>& residual, __nv_bfloat16* y,
                                                   uint8_t* relu_mask, void* lamport_buffer,
                                                   cudaStream_t stream) const {
  ConvolutionBatchNormArguments arguments = ForwardArguments(overlap_, raw, parameters, state);
  arguments.lamport_buffer = lamport_buffer;
  arguments.residual = residual;
  arguments.y = y;
  arguments.y_mask = relu_mask;
  return Run(shape_, ConvolutionPass::kForward, config_, multiprocessors_, launcher_, x, w, arguments, Ending::kApplies,
             {}, stream);
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
