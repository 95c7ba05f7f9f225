#include "lib/kernels/convolution_fp32.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/kernels/convolution_fp32_kernel.h"

namespace lockstep {
namespace {

using convolution_fp32::Arguments;

constexpr uint32_t kFilter = 3;
constexpr uint32_t kMinColumns = 64;
constexpr uint32_t kMaxSplits =
    8;  // blocks of a portable cluster (CUDA C++ Programming Guide, "Thread Block Clusters")
// Maximum number of blocks per multiprocessor if blocks share tiles: with more tiles, sharing does not help.
constexpr uint32_t kMaxBlocksOfSharers = 8;

// Number of channels that are summed over, and number of output channels.
struct Sides {
  uint32_t depth, columns;
};

Sides SidesOf(const ConvolutionShape& shape, ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward ? Sides{shape.in_channels, shape.out_channels}
                                           : Sides{shape.out_channels, shape.in_channels};
}

bool IsCovered(const ConvolutionShape& shape, ConvolutionPass pass) {
  const Sides sides = SidesOf(shape, pass);
  const bool covered_pass =
      pass == ConvolutionPass::kForward || (pass == ConvolutionPass::kDataGradient && shape.stride == 1);
  if (!covered_pass || shape.filter != kFilter || !CheckConvolutionShape(shape).ok()) {
    return false;
  }
  const ConvolutionOperands counts = CountOperands(shape, pass);
  return std::max(counts.a, counts.out) <= kMaxConvolutionElements && sides.depth % convolution_fp32::kStepDepth == 0 &&
         sides.columns % kMinColumns == 0;
}

uint32_t Pixels(const ConvolutionShape& shape) {
  return shape.images * ConvolutionOutSize(shape) * ConvolutionOutSize(shape);
}

bool IsWay(const ConvolutionFp32Config& config, uint32_t columns) {
  const bool splits = config.splits == 1 || config.splits == 2 || config.splits == 4 || config.splits == kMaxSplits;
  return splits && (config.columns == kMinColumns || config.columns == 2 * kMinColumns) &&
         columns % config.columns == 0;
}

}  // namespace

std::string DescribeConvolutionFp32(const ConvolutionFp32Config& config) {
  return absl::StrCat("our kernel, ", config.columns, " columns, ", config.splits, " splits");
}

std::vector<ConvolutionFp32Config> ConvolutionFp32Configs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                          uint32_t multiprocessors) {
  std::vector<ConvolutionFp32Config> configs;
  if (multiprocessors == 0 || !IsCovered(shape, pass)) {
    return configs;
  }
  const uint32_t columns = SidesOf(shape, pass).columns;
  size_t likeliest = 0;
  for (const uint32_t tile_columns : {kMinColumns, 2 * kMinColumns}) {
    const uint64_t tiles = uint64_t{(Pixels(shape) + convolution_fp32::kTileRows - 1) / convolution_fp32::kTileRows} *
                           (columns / tile_columns);
    for (uint32_t splits = 1; splits <= kMaxSplits; splits *= 2) {
      const ConvolutionFp32Config config = {tile_columns, splits};
      if (IsWay(config, columns) &&
          (splits == 1 || tiles * splits <= uint64_t{kMaxBlocksOfSharers} * multiprocessors)) {
        configs.push_back(config);
        const bool too_few = tiles * configs[likeliest].splits < multiprocessors;
        likeliest = tile_columns == kMinColumns && too_few ? configs.size() - 1 : likeliest;
      }
    }
  }
  std::rotate(configs.begin(), configs.begin() + likeliest, configs.begin() + likeliest + 1);
  return configs;
}

absl::Status RunConvolutionFp32(const ConvolutionShape& shape, ConvolutionPass pass,
                                const ConvolutionFp32Config& config, const float* a, const float* b, float* out,
                                cudaStream_t stream) {
  RETURN_IF_ERROR(CheckConvolutionShape(shape));
  const std::string what = DescribeConvolution(shape, pass, ConvolutionType::kFp32);
  const Sides sides = SidesOf(shape, pass);
  if (!IsCovered(shape, pass) || !IsWay(config, sides.columns)) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is not supported by ", DescribeConvolutionFp32(config)));
  }
  Arguments arguments;
  arguments.input = a;
  arguments.weights = b;
  arguments.out = out;
  arguments.pixels = Pixels(shape);
  arguments.in_size = shape.in_size;
  arguments.out_size = ConvolutionOutSize(shape);
  arguments.stride = shape.stride;
  arguments.depth = sides.depth;
  arguments.columns = sides.columns;
  return CudaStatus(convolution_fp32::Launch(arguments, pass == ConvolutionPass::kDataGradient, config.columns,
                                             config.splits, stream),
                    what);
}

}  // namespace lockstep
