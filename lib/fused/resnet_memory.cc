// ResNetStep::PredictBytes: the device memory of a step, computed without a GPU.
#include <algorithm>

#include "lib/fused/exchanged_update.h"
#include "lib/fused/gradient_norm_update.h"
#include "lib/fused/resnet_buffers.h"
#include "lib/fused/resnet_step.h"
#include "lib/fused/resnet_units.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {
namespace {

// Ratio of the largest workspace of the chosen fp32 engines to the bytes of a 3x3 convolution's two activations. Most
// engines copy the activations (ConvolutionOptions); the fastest for weight gradients takes more. On an H200 with cuDNN
// 9.19, the ratio was 3.27 at batch 32 and 128 (benchmarks/results/2026-11-22-h200-side-by-side), and 1.6 at 512, where
// the limit is 2.
constexpr double kFp32WorkspaceOverActivations = 3.3;

// Estimates the workspace of one stream's convolutions. In fp32, the first layers take the most. Otherwise weight
// gradients that are split over the images, with sums in fp32, take the most: on an H200 in bf16 1.9, 7.7 and 7.5 MB at
// batch 32, 128 and 512. The largest gradient has 9.4 MB in fp32.
size_t EstimateWorkspaceBytes(const ResNetUnits& net, ConvolutionType type, uint32_t batch, bool of_shortcuts) {
  size_t activations = 0, weights = 0;
  for (const ConvolutionUnit& unit : net.units) {
    if (of_shortcuts && !unit.is_shortcut()) {
      continue;
    }
    const size_t input = size_t{unit.in_size} * unit.in_size * unit.matrix_channels;
    activations = std::max(activations, batch * (input + unit.out_elements()));
    weights = std::max(weights, unit.weight_count());
  }
  if (type != ConvolutionType::kFp32) {
    return weights * sizeof(float);
  }
  const double over_activations = of_shortcuts ? 1 : kFp32WorkspaceOverActivations;
  return std::min(ConvolutionOptions().max_workspace_bytes,
                  static_cast<size_t>(over_activations * static_cast<double>(activations * sizeof(float))));
}

}  // namespace

size_t ResNetStep::PredictBytes(const ResNetStepOptions& options, uint32_t images) {
  const ResNetUnits net = NetworkOf(options);
  const uint32_t batch = MicroBatchImages(options);
  const size_t buffers = options.type == ConvolutionType::kBf16
                             ? ResNetBuffers<__nv_bfloat16>(net, batch, InputBatches(options)).PredictBytes(images)
                             : ResNetBuffers<float>(net, batch, InputBatches(options)).PredictBytes(images);
  const size_t exchange = options.type == ConvolutionType::kBf16
                              ? ExchangeWorkspace<__nv_bfloat16>::PredictBytes(options, net)
                              : ExchangeWorkspace<float>::PredictBytes(options, net);
  const size_t main = EstimateWorkspaceBytes(net, options.type, batch, false);
  const bool own = options.type == ConvolutionType::kBf16 && options.own_weight_gradients;
  // Workspace on side, or in two buffers for split-K partials, each for at most half of the SMs.
  const size_t side = own ? std::max(main, WeightGradientMaxWorkspaceBytes(kMaxMultiprocessors)) : main;
  return buffers + exchange + GradientNormUpdateWorkspace::PredictBytes(options) + main + side +
         EstimateWorkspaceBytes(net, options.type, batch, true);
}

}  // namespace lockstep
