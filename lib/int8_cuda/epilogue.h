// Epilogue: the computation on a weighted layer's int32 sums: start values, requantization, ReLU, and an addition of
// another tensor. A plain struct that every kernel receives by value; epilogue.cuh computes it.
#ifndef LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_
#define LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_

#include <cstdint>

namespace lockstep {

// Factors of a fused addition: AddFactors (lib/int8/requantize.h) of the layer's own result and of the other tensor.
struct AdditionFactors {
  float own = 1;
  float other = 1;
  float offset = 0;
  bool own_is_first = true;  // true: the own result is the first operand; the order of the operands changes the result
  float low = 0;             // smallest result as uint8: zero point + 128 with ReLU, else 0
};

// Pointers are device pointers (host pointers in tests). Tables must have `channels` entries, PaddedChannels(outputs),
// of which those beyond the layer's outputs must be 0, and must be aligned to 16 bytes. A pixel is an output pixel of
// the whole batch.
struct Epilogue {
  uint32_t outputs = 0;   // channels of the layer
  uint32_t channels = 0;  // channels in memory, with padding
  uint32_t pixels = 0;    // output pixels of one image

  // A sum starts at start[class of its pixel * channels + channel]
  //     = bias - zero point of the input * sum of the weights at the pixel's real taps.
  // Hence kernels may read 0 in the padding and multiply their inputs without subtracting the zero point.
  const int32_t* start = nullptr;
  const uint16_t* classes = nullptr;  // class of each pixel of an image; null: all are of class 0

  const float* multiplier = nullptr;  // null: int32 sums are written, (pixels of the batch, outputs)
  const float* float_bias = nullptr;  // null: none
  float zero_point = 0;               // zero point of the layer's output
  float low = -128;                   // lower bound before the zero point is added: 0 with ReLU, else -128 - zero_point
  float high = 127;                   // upper bound before the zero point is added: 127 - zero_point

  AdditionFactors addition;
  const int8_t* addend = nullptr;  // other tensor, in the output's layout; null: no addition
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_
