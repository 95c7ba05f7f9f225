#include "lib/kernels/convolution_chain.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/wait_limit.h"
#include "lib/kernels/convolution_batch_norm_kernel.h"
#include "lib/kernels/convolution_batch_norm_plan.h"
#include "lib/kernels/convolution_chain_kernel.h"

namespace lockstep {
namespace {

constexpr uint32_t kFilter = 3;

std::string Describe(const ConvolutionShape& shape) {
  return DescribeConvolution(shape, ConvolutionPass::kForward, ConvolutionType::kBf16);
}

absl::Status CheckConfig(const ConvolutionBatchNorm& layer) {
  const std::vector<ConvolutionBatchNormConfig> configs =
      ConvolutionChainConfigs(layer.shape(), layer.multiprocessors());
  return std::find(configs.begin(), configs.end(), layer.config()) != configs.end()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("a chain of layers of ", Describe(layer.shape()),
                                                       " is not supported in ",
                                                       DescribeConvolutionBatchNorm(layer.config())));
}

ConvolutionBatchNormPlan PlanLayer(const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config,
                                   uint32_t multiprocessors) {
  return PlanConvolutionBatchNorm(shape, ConvolutionPass::kForward, config, multiprocessors,
                                  ConvolutionBatchNormEnding::kApplies);
}

}  // namespace

size_t ConvolutionChainMaxLayers() { return kMaxChainLayers; }

std::vector<ConvolutionBatchNormConfig> ConvolutionChainConfigs(const ConvolutionShape& shape,
                                                                uint32_t multiprocessors) {
  std::vector<ConvolutionBatchNormConfig> configs;
  if (shape.filter != kFilter || shape.stride != 1 || shape.in_channels != shape.out_channels) {
    return configs;
  }
  for (const ConvolutionBatchNormConfig& config :
       ConvolutionBatchNormConfigs(shape, ConvolutionPass::kForward, multiprocessors)) {
    if (config.weight_blocks == 1 &&
        ConvolutionBatchNormCanApply(shape, ConvolutionPass::kForward, config, multiprocessors) &&
        PlanLayer(shape, config, multiprocessors).launch.kept == KeptTiles::kInRegisters) {
      configs.push_back(config);
    }
  }
  return configs;
}

absl::StatusOr<bool> ConvolutionChainMayWait(const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config,
                                             uint32_t multiprocessors) {
  if (!BlocksMayWaitForEachOther()) {
    return false;
  }
  RETURN_IF_ERROR(CheckConfig(ConvolutionBatchNorm(shape, config, multiprocessors)));
  const ConvolutionBatchNormPlan plan = PlanLayer(shape, config, multiprocessors);
  ConvolutionBatchNormArguments arguments;
  arguments.tiles = plan.tiles;
  arguments.rings = plan.rings;
  uint32_t resident = 0;
  RETURN_IF_ERROR(CudaStatus(CountResidentChainBlocks(plan.launch, arguments, &resident),
                             "counting blocks of a chain that run at once"));
  return plan.launch.blocks <= resident;
}

absl::Status ConvolutionChain::Run(const __nv_bfloat16* x, const std::vector<Layer>& layers, void* lamport_buffer,
                                   cudaStream_t stream) const {
  if (layers.empty() || layers.size() > kMaxChainLayers) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a chain of 1 to ", kMaxChainLayers, " layers, found ", layers.size()));
  }
  RETURN_IF_ERROR(CheckConfig(layer_));
  ConvolutionChainArguments chain;
  chain.layers = static_cast<uint32_t>(layers.size());
  ConvolutionBatchNormLaunch launch;
  for (size_t l = 0; l < layers.size(); ++l) {
    ASSIGN_OR_RETURN(const PreparedConvolutionBatchNorm prepared,
                     layer_.PrepareForwardAndApply(l == 0 ? x : layers[l - 1].y, layers[l], lamport_buffer));
    chain.layer[l] = {prepared.weights, prepared.inputs.map[0], prepared.arguments};
    launch = prepared.launch;
  }
  return CudaStatus(LaunchConvolutionChain(launch, chain, stream),
                    absl::StrCat("a chain of ", layers.size(), " layers of ", Describe(layer_.shape())));
}

}  // namespace lockstep
