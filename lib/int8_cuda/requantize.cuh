// lib/int8/requantize.h for a GPU, bit for bit, and for the host, where it is tested.
//
// Every float32 product and sum is rounded once: the compiler must not contract two operations to a fused multiply-add.
// Values are clamped before they are rounded. This gives the same integer, because the bounds are integers and rounding
// keeps order. A clamped value is rounded by adding 1.5 * 2^23: a float32 of that size has no bits for a fraction, and
// the addition rounds half to even. Its lowest byte is the integer, in two's complement. Additions have four times the
// rate of rintf and conversions.
#ifndef LOCKSTEP_LIB_INT8_CUDA_REQUANTIZE_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_REQUANTIZE_CUH_

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lockstep {

constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23, even, so that it changes no tie

// Separate operations. Host code is compiled for any x86-64, which has no fused multiply-add to contract them to.
__host__ __device__ inline float Product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
__host__ __device__ inline float Sum(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

__host__ __device__ inline uint32_t BitsOf(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
#endif
}

// Returns the lowest byte of each argument, the first one's in the lowest byte.
__host__ __device__ inline uint32_t LowBytes(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return __byte_perm(a, b, 0x0040) & 0xFFFF;
#else
  return (a & 0xFF) | (b & 0xFF) << 8;
#endif
}
__host__ __device__ inline uint32_t LowBytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
#ifdef __CUDA_ARCH__
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
#else
  return LowBytes(a, b) | LowBytes(c, d) << 16;
#endif
}

__host__ __device__ inline float Bounded(float value, float low, float high) { return fminf(fmaxf(value, low), high); }

// Returns kRounder + the sum on the output's scale, rounded, with its zero point added: an integer in [kRounder - 128,
// kRounder + 127]. `low` and `high`: bounds of the value before its zero point is added; ReLU is such a bound.
__host__ __device__ inline float RequantizedInRounder(int32_t sum, float bias, float multiplier, float low, float high,
                                                      float zero_point) {
  const float scaled = Product(Sum(static_cast<float>(sum), bias), multiplier);
  return Sum(Sum(Bounded(scaled, low, high), kRounder), zero_point);
}

// Returns the int8 value in byte `i` of a word, plus 128, as float32.
__host__ __device__ inline float ByteAsFloat(uint32_t word, uint32_t i) {
  return static_cast<float>(((word >> (8 * i)) & 0xFF) ^ 0x80);
}

// Returns kRounder + an addition's result, which is a uint8. `a` and `b`: uint8 values in float32. `low`: smallest
// result.
__host__ __device__ inline float AddedInRounder(float a, float factor_a, float b, float factor_b, float offset,
                                                float low) {
  const float added = fmaf(a, factor_a, fmaf(b, factor_b, offset));
  return Sum(Bounded(added, low, 255.0f), kRounder);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_REQUANTIZE_CUH_
