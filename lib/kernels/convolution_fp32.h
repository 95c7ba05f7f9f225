// Our own kernel for 3x3 convolutions in fp32 without tensor cores: forward, and the data gradient with a stride of 1.
// convolution_fp32.cu explains the method. Reference: convolution_reference.h.
//
// Products are of the unmodified inputs, summed in fp32 in an order that depends only on shape and config: the same
// input gives the same bits on every run.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Division of the work: a block computes 128 pixels by `columns` channels of the output; `splits` blocks share the sum
// of each element.
struct ConvolutionFp32Config {
  uint32_t columns = 64;  // 64 or 128
  uint32_t splits = 1;    // 1, 2, 4 or 8
};

// Returns "our kernel, 64 columns, 2 splits", for the record.
std::string DescribeConvolutionFp32(const ConvolutionFp32Config& config);

// Returns the configurations for a GPU of this many multiprocessors, the likeliest first: 64 columns in as few splits
// as give each multiprocessor a block. Returns an empty list for what is not covered:
// - weight gradients, data gradients with a stride of 2, filters of 1;
// - channels of the sum that are not a multiple of 16, channels of the output that are not a multiple of 64;
// - tensors of more than kMaxConvolutionElements.
std::vector<ConvolutionFp32Config> ConvolutionFp32Configs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                          uint32_t multiprocessors);

// Launches the kernel. a, b and out (see ConvolutionPass) must be device pointers, aligned to 16 bytes. Returns
// InvalidArgumentError if the shape is not covered or `config` is impossible for it.
absl::Status RunConvolutionFp32(const ConvolutionShape& shape, ConvolutionPass pass,
                                const ConvolutionFp32Config& config, const float* a, const float* b, float* out,
                                cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_
