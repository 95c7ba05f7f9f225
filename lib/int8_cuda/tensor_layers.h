// Operations of a network on a GPU other than weighted layers: images in, additions and pools, logits out.
//
// Tensors are int8, in the layout of device_layout.h, aligned to 16 bytes; `channels` in memory are padded. All
// functions launch on a stream and return the launch's error; without images they do nothing.
#ifndef LOCKSTEP_LIB_INT8_CUDA_TENSOR_LAYERS_H_
#define LOCKSTEP_LIB_INT8_CUDA_TENSOR_LAYERS_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/int8/network.h"
#include "lib/int8_cuda/epilogue.h"

namespace lockstep {

// Quantizes images. pixels: uint8 (images, channels, height, width). table: int8 (channels, 256), the value of each
// byte. output: (images, extent); the padding channels are 0.
cudaError_t LaunchQuantizePixels(const uint8_t* pixels, const int8_t* table, const Extent& extent, uint32_t images,
                                 int8_t* output, cudaStream_t stream);

// Pads the channels of images. input: int8 (images, height, width, channels), not padded. output: as above.
cudaError_t LaunchPadChannels(const int8_t* input, const Extent& extent, uint32_t images, int8_t* output,
                              cudaStream_t stream);

// Computes output = first + second by `factors`, whose `own` is for `first`. All three tensors have `bytes` bytes,
// which must be a multiple of 16. `output` may be one of the other two.
cudaError_t LaunchAddTensors(const int8_t* first, const int8_t* second, const AdditionFactors& factors, size_t bytes,
                             int8_t* output, cudaStream_t stream);

// Computes MaxPool of lib/int8/plain_layers.h. input: (images, shape.Out()); output: (images, shape.Pooled()), in other
// memory.
cudaError_t LaunchMaxPool(const LayerShape& shape, const int8_t* input, uint32_t images, int8_t* output,
                          cudaStream_t stream);

// Factors for the requantization of an average pool. Bounds as in Epilogue.
struct AveragePoolFactors {
  float multiplier = 1;
  int32_t input_zero_point = 0;
  float zero_point = 0;
  float low = -128;
  float high = 127;
};
// Computes an average pool. input: (images, extent); output: (images, 1, 1, extent.channels).
cudaError_t LaunchAveragePool(const Extent& extent, const AveragePoolFactors& factors, const int8_t* input,
                              uint32_t images, int8_t* output, cudaStream_t stream);

// Converts logits. input: (images, extent); logits: int32 (images, extent.Size()), not padded.
cudaError_t LaunchReadLogits(const int8_t* input, const Extent& extent, uint32_t images, int32_t* logits,
                             cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_TENSOR_LAYERS_H_
