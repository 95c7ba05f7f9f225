// Compares a convolution with the batch norm's sums in one kernel (lib/kernels/convolution_batch_norm.h), in each
// tiling, with cuDNN's fastest engine followed by the kernel for the sums. Measures every convolution of ResNet-18, the
// first as a 1x1 convolution over patches, in microseconds in a CUDA graph; TFLOP/s in parentheses. "256/1": tiles of
// 256 pixels, one block each; "128/1/3": three groups of warps instead of two; "128/1 pairs": pairs of blocks copy
// their weights together.
// Forward also measures the kernel that applies the batch norm, and "both" in one kernel; then both with a residual.
//
//   convolution_batch_norm_benchmark [BATCH ...]      default: 32 128 512; needs a GPU
//
// With "laps" it measures instead where the time of a tile goes in the backward convolutions of layer 1
// (benchmarks/convolution_laps.h), on all multiprocessors and on 7 of 12 of them, which a step has for layer 1:
//
//   convolution_batch_norm_benchmark laps [BATCH ...]      default: 128 512
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/convolution_laps_table.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_batch_norm_tuning.h"
#include "lib/kernels/weight_gradient.h"
#include "lib/kernels/weight_gradient_tuning.h"

namespace lockstep {
namespace {

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "convolution_batch_norm_benchmark: %s\n", value.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(value);
}

void Compare(const ConvolutionShape& shape, ConvolutionContext& context) {
  const double flops = ConvolutionFlops(shape);
  const auto print = [&](const char* what, const ConvolutionBatchNormTimes::Trial& trial) {
    std::printf("  %s%u/%u%s%s %6.1f (%3.0f)", what, trial.config.pixels, trial.config.splits,
                trial.config.groups == 3 ? "/3" : "", trial.config.weight_blocks == 2 ? " pairs" : "",
                trial.microseconds, flops / trial.microseconds / 1e6);
  };
  for (const ConvolutionPass pass : {ConvolutionPass::kForward, ConvolutionPass::kDataGradient}) {
    if (ConvolutionBatchNormConfigs(shape, pass, HopperMultiprocessors()).empty()) {
      continue;
    }
    const auto apart = Value(Convolution::Plan(context, shape, pass, ConvolutionType::kBf16, {}));
    const ConvolutionBatchNormTimes times = Value(TuneConvolutionBatchNorm(
        context, shape, pass, apart->microseconds(), HopperMultiprocessors(), TimedLaunches::kAlsoApplying));
    std::printf("%5u %3u->%-3u %2ux%-2u %ux%u /%u %s  %6.1f us (%3.0f TFLOP/s) + %5.1f = %6.1f;  ", shape.images,
                shape.in_channels, shape.out_channels, shape.in_size, shape.in_size, shape.filter, shape.filter,
                shape.stride, pass == ConvolutionPass::kForward ? "forward " : "backward", apart->microseconds(),
                flops / apart->microseconds() / 1e6, times.apart_microseconds - apart->microseconds(),
                times.apart_microseconds);
    for (const ConvolutionBatchNormTimes::Trial& trial : times.trials) {
      print("", trial);
    }
    if (pass == ConvolutionPass::kForward) {
      std::printf(";  the batch norm %5.1f", times.apply_microseconds);
    }
    for (const ConvolutionBatchNormTimes::Trial& trial : times.applying) {
      print("both ", trial);
    }
    if (pass == ConvolutionPass::kForward) {
      const ConvolutionBatchNormTimes adding = Value(TuneConvolutionBatchNorm(
          context, shape, pass, apart->microseconds(), HopperMultiprocessors(), TimedLaunches::kAlsoAddingResidual));
      std::printf(";  with a residual %5.1f", adding.apply_microseconds);
      for (const ConvolutionBatchNormTimes::Trial& trial : adding.applying) {
        print("both ", trial);
      }
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

void CompareWeights(const ConvolutionShape& shape, ConvolutionContext& context) {
  const double flops = ConvolutionFlops(shape);
  const auto other =
      Value(Convolution::Plan(context, shape, ConvolutionPass::kWeightGradient, ConvolutionType::kBf16, {}));
  const WeightGradientTimes times =
      Value(TuneWeightGradient(context, shape, other->microseconds(), HopperMultiprocessors()));
  std::printf("%5u %3u->%-3u %2ux%-2u /%u weights  %6.1f us (%3.0f TFLOP/s);  ", shape.images, shape.in_channels,
              shape.out_channels, shape.in_size, shape.in_size, shape.stride, other->microseconds(),
              flops / other->microseconds() / 1e6);
  for (const WeightGradientTimes::Trial& trial : times.trials) {
    std::printf("  %ux%u %6.1f (%3.0f)", trial.config.columns, trial.config.splits, trial.microseconds,
                flops / trial.microseconds / 1e6);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void PrintLaps(const std::vector<uint32_t>& batches, cudaStream_t stream) {
  for (const uint32_t batch : batches) {
    for (const uint32_t multiprocessors : {HopperMultiprocessors(), HopperMultiprocessors() * 7 / 12}) {
      if (const absl::Status status = PrintConvolutionLaps(batch, multiprocessors, stream); !status.ok()) {
        std::fprintf(stderr, "convolution_batch_norm_benchmark: %s\n", status.ToString().c_str());
        std::exit(1);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
  if (HopperMultiprocessors() == 0) {
    std::fprintf(stderr, "convolution_batch_norm_benchmark: no CUDA device of compute capability 9.0\n");
    return 5;
  }
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    return 5;
  }
  const bool laps = argc > 1 && absl::string_view(argv[1]) == "laps";
  std::vector<uint32_t> batches;
  for (int i = laps ? 2 : 1; i < argc; ++i) {
    batches.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
  }
  if (laps) {
    PrintLaps(batches.empty() ? std::vector<uint32_t>{128, 512} : batches, stream);
    return 0;
  }
  const auto context = Value(ConvolutionContext::Make(stream));
  if (batches.empty()) {
    batches = {32, 128, 512};
  }
  for (const uint32_t batch : batches) {
    Compare({batch, 32, 32, 64, 1, 1}, *context);  // the first convolution, over patches
    for (uint32_t channels = 64, size = 32; size >= 4; channels *= 2, size /= 2) {
      Compare({batch, channels, size, channels, 3, 1}, *context);
    }
    for (uint32_t channels = 64, size = 32; size >= 8; channels *= 2, size /= 2) {
      Compare({batch, channels, size, 2 * channels, 3, 2}, *context);
      Compare({batch, channels, size, 2 * channels, 1, 2}, *context);
    }
    CompareWeights({batch, 64, 32, 64, 3, 1}, *context);
    CompareWeights({batch, 64, 32, 128, 3, 2}, *context);
    CompareWeights({batch, 128, 16, 128, 3, 1}, *context);
    CompareWeights({batch, 128, 16, 256, 3, 2}, *context);
    CompareWeights({batch, 256, 8, 256, 3, 1}, *context);
    CompareWeights({batch, 512, 4, 512, 3, 1}, *context);
  }
  return 0;
}
