// Weight gradient of a convolution in bf16, for Hopper: dw = sum over pixels of dy (pixel, out) * x (pixel + tap, in).
// weight_gradient.cu explains the method for 3x3 filters, pointwise_gradient.cu for 1x1.
//
// Reference: convolution.h. Layouts are the same: activations NHWC, weights KRSC, all in bf16. Sums are in fp32, in an
// order that depends only on shape and config: the same input gives the same bits on every run.
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

// Division of the work. With a filter of 3, a block computes 64 by 64 channels and either all three columns of the
// filter or one column; in the latter case its three groups of warps share the pixels. With a filter of 1, a block
// computes 64 output channels by 64 input channels, or by 128 if their number is a multiple of 128. `splits` blocks
// divide the pixels further, and a second kernel adds up their sums.
struct WeightGradientConfig {
  uint32_t columns = 3;  // 3 or 1; must be 1 with a filter of 1
  uint32_t splits = 1;
};

// Returns "blocks of 3 columns, 44 splits".
std::string DescribeWeightGradient(const WeightGradientConfig& config);

// Returns the configurations for a GPU of this many multiprocessors. The list is empty unless the shape is covered: a
// filter of 3 or 1, channels in multiples of 64, an output size of 4, 8, 16 or 32; with a filter of 3 and a stride of 2
// only 8 or 16.
std::vector<WeightGradientConfig> WeightGradientConfigs(const ConvolutionShape& shape, uint32_t multiprocessors);

// Returns the bytes of device memory for the workspace, of any content. Nothing that runs at the same time may share
// it.
size_t WeightGradientWorkspaceBytes(const ConvolutionShape& shape, const WeightGradientConfig& config);
size_t WeightGradientMaxWorkspaceBytes(uint32_t multiprocessors);  // maximum over all WeightGradientConfigs

// One convolution in one configuration. Run and Multiply return InvalidArgumentError if the shape is not covered or the
// configuration is impossible for it.
class WeightGradient {
 public:
  WeightGradient(const ConvolutionShape& shape, const WeightGradientConfig& config) : shape_(shape), config_(config) {}

  const WeightGradientConfig& config() const { return config_; }
  size_t workspace_bytes() const { return WeightGradientWorkspaceBytes(shape_, config_); }

  // Writes dw: (out_channels, filter, filter, in_channels). dy: (images, out_size, out_size, out_channels), x: (images,
  // in_size, in_size, in_channels). All pointers must be aligned to 16 bytes.
  absl::Status Run(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw, void* workspace,
                   cudaStream_t stream) const;

  // Does the work of Run in two launches. AddUp must follow Multiply and may run at the same time as other launches.
  // With one split, Multiply writes dw and AddUp does nothing.
  absl::Status Multiply(const __nv_bfloat16* dy, const __nv_bfloat16* x, __nv_bfloat16* dw, void* workspace,
                        cudaStream_t stream) const;
  absl::Status AddUp(__nv_bfloat16* dw, void* workspace, cudaStream_t stream) const;
  bool is_split() const { return config_.splits > 1; }

 private:
  ConvolutionShape shape_;
  WeightGradientConfig config_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_H_
