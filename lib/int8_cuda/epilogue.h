// What becomes of a weighted layer's int32 sums: where they start, requantization, ReLU, and an addition to another
// tensor. One plain struct that is handed to every kernel by value; epilogue.cuh computes it.
#ifndef LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_
#define LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_

#include <cstdint>

namespace lockstep {

// An addition that a layer ends with: AddFactors (lib/int8/requantize.h), of our own result and of the other tensor's.
struct AdditionFactors {
  float own = 1;
  float other = 1;
  float offset = 0;
  bool own_is_first = true;  // our result is the addition's first operand; which one is added last makes a difference
  float low = 0;             // the least result as uint8: the zero point + 128 with ReLU, else 0
};

// Pointers are of the device (of the host in tests). Tables have `channels` entries, PaddedChannels(outputs), of which
// those beyond the layer's outputs are 0, and are aligned to 16 bytes. A pixel is an output pixel of the whole batch.
struct Epilogue {
  uint32_t outputs = 0;   // channels that the layer has
  uint32_t channels = 0;  // channels as they lie in memory
  uint32_t pixels = 0;    // output pixels of one image

  // A sum starts at start[class of its pixel * channels + channel]
  //     = bias - zero point of the input * sum of the weights at the pixel's real taps,
  // so that kernels may read 0 where the padding is and multiply what they read as it is.
  const int32_t* start = nullptr;
  const uint16_t* classes = nullptr;  // of each of an image's `pixels`; null: all are of class 0

  const float* multiplier = nullptr;  // null: int32 sums are written, (pixels of the batch, outputs)
  const float* float_bias = nullptr;  // null: none
  float zero_point = 0;               // of what the layer writes
  float low = -128;                   // bounds of a result before its zero point is added: with ReLU low is 0,
  float high = 127;                   // else -128 - zero_point; 127 - zero_point

  AdditionFactors addition;
  const int8_t* addend = nullptr;  // the other tensor, as what the layer writes; null: no addition
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_H_
