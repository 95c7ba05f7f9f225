// CudaConvolution: a weighted layer on a GPU, independent of the kernel that computes it.
#ifndef LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/int8/integer_reference.h"

namespace lockstep {

// Inputs for making a convolution. The references must stay valid while it is made.
struct ConvolutionTask {
  const IntegerLayer& layer;
  int32_t input_zero_point;
  const IntegerLayer* addition;  // fused addition at the end of the layer; null: none
  bool own_is_first;             // true: the layer's result is the addition's first operand
};

class CudaConvolution {
 public:
  virtual ~CudaConvolution() = default;

  // Finds the fastest configuration for `images` images by running some on `stream`, which must not be under capture.
  // `with_addend`: true if Launch will be given an addend. Returns CUDA's errors.
  virtual absl::Status Tune(uint32_t /*images*/, bool /*with_addend*/, cudaStream_t /*stream*/) {
    return absl::OkStatus();
  }

  // Launches the layer. Tensors must be in the layout of device_layout.h and aligned to 16 bytes. input: int8 (images,
  // In()). output: int8 (images, Out()), or int32 (images, height, width, out_channels) for a layer that writes sums.
  // addend: null, or the addition's other tensor, of the output's extent; then the output is the addition's.
  //
  // May be captured in a CUDA graph. Returns InternalError if the launch fails.
  virtual absl::Status Launch(const int8_t* input, const int8_t* addend, void* output, uint32_t images,
                              cudaStream_t stream) const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_
