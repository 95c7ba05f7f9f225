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

std::string Describe(const ConvolutionShape& shape, ConvolutionPass pass) {
  return DescribeConvolution(shape, pass, ConvolutionType::kBf16);
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
      Describe(shape, pass), " with a batch norm's sums is not supported in tiles of ", config.pixels, " pixels by ",
      config.splits, " blocks of ", config.groups, " groups",
      config.weight_blocks == 1 ? "" : absl::StrCat(", ", config.weight_blocks, " blocks sharing weights")));
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
  const ConvolutionBatchNormPlan plan = PlanConvolutionBatchNorm(shape, pass, config, multiprocessors, ending);
  PreparedConvolutionBatchNorm prepared;
  prepared.launch = plan.launch;
  prepared.arguments = arguments;
  prepared.arguments.tiles = plan.tiles;
  prepared.arguments.rings = plan.rings;
  prepared.arguments.shortcut = shortcut.dy != nullptr;
  if (prepared.arguments.shortcut && plan.tiles.spread_log2 == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(Describe(shape, pass), " has no shortcut next to it: its stride is not 2"));
  }
  ASSIGN_OR_RETURN(prepared.weights, MapWeights(shape, config.weight_blocks, weights));
  ASSIGN_OR_RETURN(prepared.inputs, MapInputs(plan, input));
  if (prepared.arguments.shortcut) {
    ConvolutionShape point = shape;
    point.filter = 1;
    ASSIGN_OR_RETURN(const ConvolutionInputMaps of_shortcut, MapInputs(plan, shortcut.dy));
    prepared.inputs.map[1] = of_shortcut.map[0];
    ASSIGN_OR_RETURN(prepared.inputs.map[2], MapWeights(point, config.weight_blocks, shortcut.w));
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
