// The gradient of a convolution's weights in bf16, for Hopper: dw = sum over pixels of dy (pixel, out) * x (pixel + tap,
// in). weight_gradient.cu says how for 3x3 filters, pointwise_gradient.cu for 1x1.
//
// Plain twin: convolution.h. Layouts as there: activations NHWC, weights KRSC, all in bf16. Sums are in fp32, in an
// order that depends on shape and config alone: the same input gives the same bits on every run.
#ifndef LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_H_
#define LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// How the work is cut: a block does 64 by 64 channels and all three columns of the filter, or one of them, in which
// case its three groups of warps share the pixels; `parts` blocks share the pixels further, and a second kernel adds up
// what they have. With a filter of 1 it does 64 outputs by 64 inputs, or by 128 where they are a multiple of that.
struct WeightGradientConfig {
  uint32_t columns = 3;  // 3 or 1; 1 with a filter of 1
  uint32_t parts = 1;
};

// "blocks of 3 columns, 44 parts".
std::string DescribeWeightGradient(const WeightGradientConfig& config);

// What there is to choose from for a convolution on a GPU of this many multiprocessors; none if the shape is not
// covered: a filter of 3 or 1, channels in multiples of 64, an output of 4, 8, 16 or 32; with a filter of 3 and a stride of
// 2 of 8 or 16.
std::vector<WeightGradientConfig> WeightGradientConfigs(const ConvolutionShape& shape, uint32_t multiprocessors);

// Bytes of device memory for the workspace, of any content. Nothing that runs at the same time may share it.
size_t WeightGradientWorkspaceBytes(const ConvolutionShape& shape, const WeightGradientConfig& config);
size_t WeightGradientMostWorkspaceBytes(uint32_t multiprocessors);  // of all that WeightGradientConfigs gives

// One convolution, cut in one way. InvalidArgument: a shape that WeightGradientConfigs has nothing for.
class WeightGradient {
 public:
  WeightGradient(const ConvolutionShape& shape, const WeightGradientConfig& config) : shape_(shape), config_(config) {}

  const WeightGradientConfig& config() const { return config_; }
  size_t workspace_bytes() const { return WeightGradientWorkspaceBytes(shape_, config_); }

  // dy: (images, out_size, out_size, out_channels), x: (images, in_size, in_size, in_channels), dw: (out_channels,
  // filter, filter, in_channels), each at a multiple of 16 bytes.
  absl::Status Run(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw, void* workspace,
                   cudaStream_t stream) const;

  // Run in two launches, of which the second, behind the first, may run beside others. Of one part Multiply gives dw, and
  // AddUp has nothing to do.
  absl::Status Multiply(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw, void* workspace,
                        cudaStream_t stream) const;
  absl::Status AddUp(__nv_bfloat16* dw, void* workspace, cudaStream_t stream) const;
  bool has_parts() const { return config_.parts > 1; }

 private:
  ConvolutionShape shape_;
  WeightGradientConfig config_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_H_
