// 3x3 convolutions in fp32 without tensor cores, by a kernel of ours: forward, and the data gradient with a stride
// of 1. convolution_fp32.cu says how. Plain twin: convolution_reference.h.
//
// Products of the inputs as they are, summed in fp32 in an order that depends on shape and config alone: the same input
// gives the same bits on every run.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// How the work is cut: a block does 128 pixels and so many channels of the output; `parts` blocks share the sum of
// each.
struct ConvolutionFp32Config {
  uint32_t columns = 64;  // 64 or 128
  uint32_t parts = 1;     // 1, 2, 4 or 8
};

// "our kernel, 64 columns, 2 parts", for the record.
std::string DescribeConvolutionFp32(const ConvolutionFp32Config& config);

// What there is to choose from on a GPU of this many multiprocessors, the likeliest first: 64 columns in as few parts
// as give each multiprocessor a block. None for what is not covered: weight gradients, data gradients with a stride of
// 2, filters of 1, channels of the sum that are no multiple of 16 or of the output that are none of 64, and tensors
// that kMaxConvolutionElements cannot count.
std::vector<ConvolutionFp32Config> ConvolutionFp32Configs(const ConvolutionShape& shape, ConvolutionPass pass,
                                                          uint32_t multiprocessors);

// a, b and out as in ConvolutionPass, on the device, at multiples of 16 bytes. InvalidArgument: not one of
// ConvolutionFp32Configs' shapes and ways.
absl::Status RunConvolutionFp32(const ConvolutionShape& shape, ConvolutionPass pass,
                                const ConvolutionFp32Config& config, const float* a, const float* b, float* out,
                                cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_FP32_H_
