// Pack of eight consecutive channels, which a thread of a channels-last kernel loads and stores at once (16 bytes in
// bf16).
#ifndef LOCKSTEP_LIB_KERNELS_PACK_CUH_
#define LOCKSTEP_LIB_KERNELS_PACK_CUH_

#include <cuda_bf16.h>

#include <cstdint>

namespace lockstep {

constexpr uint32_t kPackChannels = 8;

template <typename T>
struct alignas(16) Pack {
  T value[kPackChannels];
};

// Loads a pack. The pointer must be aligned to 16 bytes.
template <typename T>
__device__ Pack<T> LoadPack(const T* from) {
  return *reinterpret_cast<const Pack<T>*>(from);
}

template <typename T>
__device__ void Store(const float (&from)[kPackChannels], T* to) {
  Pack<T> pack;
#pragma unroll
  for (uint32_t i = 0; i < kPackChannels; ++i) {
    pack.value[i] = T(from[i]);
  }
  *reinterpret_cast<Pack<T>*>(to) = pack;
}

// Rounds two floats to bf16 with one instruction, the first into the lower half. Separate conversions would run at an
// eighth of the rate each.
__device__ inline uint32_t PackBf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}
__device__ inline void Store(const float (&from)[kPackChannels], __nv_bfloat16* to) {
  *reinterpret_cast<uint4*>(to) = {PackBf16(from[0], from[1]), PackBf16(from[2], from[3]), PackBf16(from[4], from[5]),
                                   PackBf16(from[6], from[7])};
}

// Returns the two halves of such a word.
__device__ inline float LowBf16(uint32_t word) { return __uint_as_float(word << 16); }
__device__ inline float HighBf16(uint32_t word) { return __uint_as_float(word & 0xFFFF0000u); }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PACK_CUH_
