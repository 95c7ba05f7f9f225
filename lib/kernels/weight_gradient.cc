#include "lib/kernels/weight_gradient.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/tensor_map.h"
#include "lib/kernels/pointwise_gradient_kernel.h"
#include "lib/kernels/weight_gradient_kernel.h"

namespace lockstep {
namespace {

using weight_gradient::Geometry;

constexpr uint32_t kBlock = 64;  // channels of a tile in either dimension
constexpr uint32_t kFilter = 3;

// Returns whether each output pixel depends on one input pixel.
bool IsPointwise(const ConvolutionShape& shape) { return shape.filter == 1; }

uint32_t Columns(const ConvolutionShape& shape) { return IsPointwise(shape) ? 1 : kFilter; }

bool IsCovered(const ConvolutionShape& shape) {
  const uint32_t size = shape.in_size / std::max(1u, shape.stride);
  const bool middling = size == 8 || size == 16;
  const bool strides = shape.stride == 1 || (shape.stride == 2 && (IsPointwise(shape) || middling));
  return (middling || size == 4 || size == 32) && strides && (IsPointwise(shape) || shape.filter == kFilter) &&
         shape.in_channels % kBlock == 0 && shape.out_channels % kBlock == 0 && shape.in_channels > 0 &&
         shape.out_channels > 0;
}

Geometry GeometryOf(const ConvolutionShape& shape) { return Geometry(shape.in_size / shape.stride, shape.stride); }

uint32_t Tiles(const ConvolutionShape& shape) {
  return IsPointwise(shape) ? pointwise_gradient::Tiles(shape.in_channels, shape.out_channels)
                            : shape.in_channels / kBlock * (shape.out_channels / kBlock);
}

// Part of the output that is processed at a time.
struct Stage {
  uint32_t pixels, images, rows;
};

Stage StageOf(const ConvolutionShape& shape) {
  const uint32_t size = ConvolutionOutSize(shape);
  const uint32_t pixels = IsPointwise(shape) ? pointwise_gradient::kPixels : GeometryOf(shape).pixels;
  return {pixels, ImagesOfStage(pixels, size), RowsOfStage(pixels, size)};
}

uint32_t Stages(const ConvolutionShape& shape) {
  const Stage stage = StageOf(shape);
  return (shape.images + stage.images - 1) / stage.images * (ConvolutionOutSize(shape) / stage.rows);
}

absl::StatusOr<CUtensorMap> MapGradient(const ConvolutionShape& shape, const __nv_bfloat16* dy) {
  const uint64_t size = ConvolutionOutSize(shape), channels = shape.out_channels;
  return MakeTensorMap(dy, {{channels, 1, kBlock}, {shape.images * size * size, channels, StageOf(shape).pixels}});
}

absl::StatusOr<CUtensorMap> MapInput(const ConvolutionShape& shape, const __nv_bfloat16* x) {
  const Geometry geometry = GeometryOf(shape);
  const uint64_t size = shape.in_size, channels = shape.in_channels, stride = shape.stride;
  return MakeTensorMap(x, {{channels, 1, kBlock},
                           {stride, channels, 1},
                           {size / stride, stride * channels, geometry.pitch},
                           {size, size * channels, geometry.in_rows},
                           {shape.images, size * size * channels, geometry.images}});
}

// Maps the input pixels that are read.
absl::StatusOr<CUtensorMap> MapPointwiseInput(const ConvolutionShape& shape, const __nv_bfloat16* x) {
  const uint32_t size = ConvolutionOutSize(shape);
  const uint64_t row = uint64_t{shape.in_size} * shape.in_channels;
  const Stage stage = StageOf(shape);
  return MakeTensorMap(x, {{shape.in_channels, 1, pointwise_gradient::kBoxChannels},
                           {size, uint64_t{shape.stride} * shape.in_channels, size},
                           {size, shape.stride * row, stage.rows},
                           {shape.images, shape.in_size * row, stage.images}});
}

std::string Describe(const ConvolutionShape& shape) {
  return DescribeConvolution(shape, ConvolutionPass::kWeightGradient, ConvolutionType::kBf16);
}

// Returns the arguments that both kernels have.
template <typename Arguments>
Arguments ArgumentsOf(const ConvolutionShape& shape, const WeightGradientConfig& config, void* workspace,
                      __nv_bfloat16* dw) {
  Arguments arguments;
  arguments.in_channels = shape.in_channels;
  arguments.out_channels = shape.out_channels;
  arguments.stages = Stages(shape);
  arguments.splits = config.splits;
  arguments.partial = static_cast<float4*>(workspace);
  arguments.out = dw;
  return arguments;
}

pointwise_gradient::Arguments PointwiseArgumentsOf(const ConvolutionShape& shape, const WeightGradientConfig& config,
                                                   void* workspace, __nv_bfloat16* dw) {
  auto arguments = ArgumentsOf<pointwise_gradient::Arguments>(shape, config, workspace, dw);
  arguments.size = ConvolutionOutSize(shape);
  return arguments;
}

}  // namespace

std::string DescribeWeightGradient(const WeightGradientConfig& config) {
  return absl::StrCat("blocks of ", config.columns, " columns, ", config.splits, " splits");
}

std::vector<WeightGradientConfig> WeightGradientConfigs(const ConvolutionShape& shape, uint32_t multiprocessors) {
  std::vector<WeightGradientConfig> configs;
  if (!IsCovered(shape) || multiprocessors == 0) {
    return configs;
  }
  for (uint32_t columns = Columns(shape); columns != 0; columns /= 2) {  // all columns, then one
    const uint32_t max_splits = multiprocessors / (Tiles(shape) * (Columns(shape) / columns));
    // Number of splits: as many blocks as run at once, or half or a quarter of that, which leave fewer sums to add up.
    for (const uint32_t splits : {std::max(1u, max_splits), max_splits / 2, max_splits / 4}) {
      if (splits > 0 && splits <= Stages(shape)) {
        configs.push_back({columns, splits});
      }
    }
  }
  return configs;
}

size_t WeightGradientWorkspaceBytes(const ConvolutionShape& shape, const WeightGradientConfig& config) {
  const size_t weights = size_t{shape.out_channels} * shape.filter * shape.filter * shape.in_channels;
  return config.splits == 1 ? 0 : config.splits * weights * sizeof(float);
}

size_t WeightGradientMaxWorkspaceBytes(uint32_t multiprocessors) {
  return size_t{multiprocessors} * kBlock * kFilter * kFilter * kBlock * sizeof(float);  // one partial per block
}

absl::Status WeightGradient::Run(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw, void* workspace,
                                 cudaStream_t stream) const {
  RETURN_IF_ERROR(Multiply(dy, x, dw, workspace, stream));
  return AddUp(dw, workspace, stream);
}

absl::Status WeightGradient::Multiply(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw,
                                      void* workspace, cudaStream_t stream) const {
  RETURN_IF_ERROR(CheckConvolutionShape(shape_));
  if (!IsCovered(shape_) || (config_.columns != 1 && config_.columns != Columns(shape_)) || config_.splits == 0) {
    return absl::InvalidArgumentError(absl::StrCat(Describe(shape_), " is not supported by blocks of ", config_.columns,
                                                   " columns in ", config_.splits, " splits"));
  }
  ASSIGN_OR_RETURN(const CUtensorMap gradient_map, MapGradient(shape_, dy));
  if (IsPointwise(shape_)) {
    ASSIGN_OR_RETURN(const CUtensorMap input_map, MapPointwiseInput(shape_, x));
    return CudaStatus(pointwise_gradient::Launch(gradient_map, input_map,
                                                 PointwiseArgumentsOf(shape_, config_, workspace, dw), stream),
                      Describe(shape_));
  }
  ASSIGN_OR_RETURN(const CUtensorMap input_map, MapInput(shape_, x));
  return CudaStatus(
      weight_gradient::Launch(GeometryOf(shape_), config_.columns, gradient_map, input_map,
                              ArgumentsOf<weight_gradient::Arguments>(shape_, config_, workspace, dw), stream),
      Describe(shape_));
}

absl::Status WeightGradient::AddUp(__nv_bfloat16* dw, void* workspace, cudaStream_t stream) const {
  if (!is_split()) {
    return absl::OkStatus();
  }
  return CudaStatus(
      IsPointwise(shape_)
          ? pointwise_gradient::LaunchSum(PointwiseArgumentsOf(shape_, config_, workspace, dw), stream)
          : weight_gradient::LaunchSum(ArgumentsOf<weight_gradient::Arguments>(shape_, config_, workspace, dw), stream),
      Describe(shape_));
}

}  // namespace lockstep
