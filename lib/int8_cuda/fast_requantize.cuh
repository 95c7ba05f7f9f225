// Requantization in fewer instructions than requantize.cuh, with the same bits. It needs two conditions
// (FastEpilogue::Fits): no scaled sum reaches 2^22, and ReLU's bound is the zero point 0 or -128.
//
// A value that is rounded by adding 1.5 * 2^23 has the integer in its bits, above those of kRounder. Hence the lower
// bound, the upper bound and the subtraction are one integer instruction (__viaddmin_s32_relu). Its result counts from
// the smallest value; conversion to int8 can only change the highest bit.
#ifndef LOCKSTEP_LIB_INT8_CUDA_FAST_REQUANTIZE_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_FAST_REQUANTIZE_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.h"
#include "lib/int8_cuda/requantize.cuh"

namespace lockstep {

constexpr int32_t kRounderBits = 0x4B400000;
constexpr float kLargestFast = 4194303.0f;  // limit of a value that is rounded

// Bounds of integers that lie above kRounder in a value's bits.
struct FastBounds {
  int32_t shift = 0;       // negated bits of a result of 0
  int32_t max_result = 0;  // largest result
  uint32_t flips = 0;      // bits to flip for int8, the same in all four bytes

  // Makes bounds for integers from `low` to `high`, to which `zero` is added for int8.
  static FastBounds Make(float low, float high, float zero) {
    const auto min_result = static_cast<int32_t>(low);
    const uint32_t lift = static_cast<uint32_t>(min_result + static_cast<int32_t>(zero)) & 0xFF;
    return {-kRounderBits - min_result, static_cast<int32_t>(high) - min_result, lift * 0x01010101u};
  }
  bool Fits() const { return flips == 0 || flips == 0x80808080u; }
};

struct FastEpilogue {
  FastBounds own;    // layer's results; uint8 if they are added to others
  FastBounds added;  // results of the addition

  static FastEpilogue Make(const Epilogue& epilogue) {
    return {FastBounds::Make(epilogue.low, epilogue.high, epilogue.zero_point),
            FastBounds::Make(epilogue.addition.low, 255.0f, -128.0f)};
  }
  // Returns true if the conditions hold. `largest_scaled`: largest of all sums of the layer, scaled by its multipliers.
  bool Fits(const Epilogue& epilogue, double largest_scaled, bool adds) const {
    const AdditionFactors& add = epilogue.addition;
    const double largest_added = 255.0 * add.own + 255.0 * add.other + (add.offset < 0 ? -add.offset : add.offset);
    return own.Fits() && added.Fits() && largest_scaled < kLargestFast &&
           (!adds || (largest_added < kLargestFast && own.flips == 0x80808080u));
  }
};

__host__ __device__ inline int32_t Bounded(float rounded, const FastBounds& bounds) {
  const auto bits = static_cast<int32_t>(BitsOf(rounded));
#ifdef __CUDA_ARCH__
  return __viaddmin_s32_relu(bits, bounds.shift, bounds.max_result);
#else
  const int32_t shifted = bits + bounds.shift, below = shifted < bounds.max_result ? shifted : bounds.max_result;
  return below < 0 ? 0 : below;
#endif
}

__host__ __device__ inline float FloatOfBits(int32_t bits) {
#ifdef __CUDA_ARCH__
  return __int_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
#endif
}

// Converts an integer from 0 to 255 to float32.
__host__ __device__ inline float SmallAsFloat(int32_t value) {
  constexpr int32_t kBits = 0x4B000000;
  return Sum(FloatOfBits(value + kBits), -8388608.0f);
}

// Returns a layer's result before its flips.
__host__ __device__ inline int32_t FastRequantized(int32_t sum, float multiplier, const FastBounds& bounds) {
  return Bounded(Sum(Product(static_cast<float>(sum), multiplier), kRounder), bounds);
}

// Returns an addition's result before its flips. `own` must be a result of FastRequantized.
__host__ __device__ inline int32_t FastAdded(int32_t own, int32_t other, bool own_is_first, const AdditionFactors& add,
                                             const FastBounds& bounds) {
  const float mine = SmallAsFloat(own), theirs = SmallAsFloat(other);
  const float added = own_is_first ? fmaf(mine, add.own, fmaf(theirs, add.other, add.offset))
                                   : fmaf(theirs, add.other, fmaf(mine, add.own, add.offset));
  return Bounded(Sum(added, kRounder), bounds);
}

// Returns byte `i` of a word.
__host__ __device__ inline int32_t ByteOf(uint32_t word, uint32_t i) {
#ifdef __CUDA_ARCH__
  return static_cast<int32_t>(__byte_perm(word, 0, 0x4440 | i));
#else
  return static_cast<int32_t>(word >> 8 * i & 0xFF);
#endif
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_FAST_REQUANTIZE_CUH_
