// A weighted layer on a GPU, whoever computes it.
#ifndef LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/int8/integer_reference.h"

namespace lockstep {

// What a convolution is made from. References must live while it is made.
struct ConvolutionTask {
  const IntegerLayer& layer;
  int32_t input_zero_point;
  const IntegerLayer* addition;  // the layer that it may end with; null: none
  bool own_is_first;             // its result is the addition's first operand
};

class CudaConvolution {
 public:
  virtual ~CudaConvolution() = default;

  // Finds the fastest way for so many images, by running some on `stream`, which is not being captured; with_addend: as it
  // will be launched. Errors: CUDA's.
  virtual absl::Status Tune(uint32_t /*images*/, bool /*with_addend*/, cudaStream_t /*stream*/) {
    return absl::OkStatus();
  }

  // All device memory lies as device_layout.h has it, aligned to 16 bytes. input: int8 (images, In()). output: int8
  // (images, Out()), or the int32 sums (images, height, width, out_channels) of a layer that writes them. addend: null, or
  // the addition's other tensor, which has the output's extent: then the output is the addition's.
  //
  // May be captured in a CUDA graph. Internal: the launch failed.
  virtual absl::Status Launch(const int8_t* input, const int8_t* addend, void* output, uint32_t images,
                              cudaStream_t stream) const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_CUDA_CONVOLUTION_H_
