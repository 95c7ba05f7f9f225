// Epilogue of some channels of one pixel, for any kernel: from int32 sums, which began at 0, to int8 in a word.
//
//     const int32_t* const start = StartOf(epilogue, pixel);
//     const uint32_t addend = epilogue.addend == nullptr ? 0 : the four bytes at pixel * channels + channel;
//     const uint32_t word = FinishQuad(epilogue, sums, start, channel, addend);
#ifndef LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.h"
#include "lib/int8_cuda/requantize.cuh"

namespace lockstep {

// Returns the row of start values of a pixel of the batch.
__host__ __device__ inline const int32_t* StartOf(const Epilogue& epilogue, uint32_t pixel) {
  return epilogue.classes == nullptr
             ? epilogue.start
             : epilogue.start + static_cast<uint32_t>(epilogue.classes[pixel % epilogue.pixels]) * epilogue.channels;
}

// Adds with wrap-around: intermediate int32 sums may wrap around, and the final sum is exact.
__host__ __device__ inline int32_t FinishSum(int32_t sum, int32_t start) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(start));
}

// Returns one channel's result in the lowest byte of the float32's bits: int8, or uint8 if another tensor is added.
__host__ __device__ inline uint32_t FinishBits(const Epilogue& epilogue, int32_t sum, float bias, float multiplier,
                                               uint32_t addend, uint32_t byte) {
  const float own = RequantizedInRounder(sum, bias, multiplier, epilogue.low, epilogue.high, epilogue.zero_point);
  if (epilogue.addend == nullptr) {
    return BitsOf(own);
  }
  const AdditionFactors& add = epilogue.addition;
  const float mine = Sum(own, 128.0f - kRounder), other = ByteAsFloat(addend, byte);  // exact
  return BitsOf(add.own_is_first ? AddedInRounder(mine, add.own, other, add.other, add.offset, add.low)
                                 : AddedInRounder(other, add.other, mine, add.own, add.offset, add.low));
}

// Returns int8 of channels `channel` to `channel` + 3, the first one in the lowest byte. `channel` must be a multiple
// of 4 below epilogue.channels, and the layer must have multipliers. `start`: StartOf the pixel. `addend`: four bytes
// of the other tensor, if there is one.
__host__ __device__ inline uint32_t FinishQuad(const Epilogue& epilogue, const int32_t (&sums)[4], const int32_t* start,
                                               uint32_t channel, uint32_t addend) {
  const int4 first = *reinterpret_cast<const int4*>(start + channel);
  const float4 multiplier = *reinterpret_cast<const float4*>(epilogue.multiplier + channel);
  const float4 bias = epilogue.float_bias == nullptr ? float4{0, 0, 0, 0}
                                                     : *reinterpret_cast<const float4*>(epilogue.float_bias + channel);
  const uint32_t word = LowBytes(FinishBits(epilogue, FinishSum(sums[0], first.x), bias.x, multiplier.x, addend, 0),
                                 FinishBits(epilogue, FinishSum(sums[1], first.y), bias.y, multiplier.y, addend, 1),
                                 FinishBits(epilogue, FinishSum(sums[2], first.z), bias.z, multiplier.z, addend, 2),
                                 FinishBits(epilogue, FinishSum(sums[3], first.w), bias.w, multiplier.w, addend, 3));
  return epilogue.addend == nullptr ? word : word ^ 0x80808080u;
}

// Returns two channels (`channel` must be even), in the lower half of the word; `addend` is in its lower half, too.
__host__ __device__ inline uint32_t FinishPair(const Epilogue& epilogue, const int32_t (&sums)[2], const int32_t* start,
                                               uint32_t channel, uint32_t addend) {
  const int2 first = *reinterpret_cast<const int2*>(start + channel);
  const float2 multiplier = *reinterpret_cast<const float2*>(epilogue.multiplier + channel);
  const float2 bias =
      epilogue.float_bias == nullptr ? float2{0, 0} : *reinterpret_cast<const float2*>(epilogue.float_bias + channel);
  const uint32_t word = LowBytes(FinishBits(epilogue, FinishSum(sums[0], first.x), bias.x, multiplier.x, addend, 0),
                                 FinishBits(epilogue, FinishSum(sums[1], first.y), bias.y, multiplier.y, addend, 1));
  return epilogue.addend == nullptr ? word : word ^ 0x8080u;
}

// Writes the sums of `kCount` channels of a layer without multipliers: int32 (pixels of the batch, outputs).
template <uint32_t kCount>
__host__ __device__ inline void WriteSums(const Epilogue& epilogue, const int32_t (&sums)[kCount], const int32_t* start,
                                          uint32_t pixel, uint32_t channel, int32_t* out) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if (channel + i < epilogue.outputs) {
      out[static_cast<size_t>(pixel) * epilogue.outputs + channel + i] = FinishSum(sums[i], start[channel + i]);
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_CUH_
