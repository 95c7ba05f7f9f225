// Eight channels side by side: what a thread of a channels-last kernel loads and stores at once (16 bytes in bf16).
#ifndef LOCKSTEP_LIB_KERNELS_PACK_CUH_
#define LOCKSTEP_LIB_KERNELS_PACK_CUH_

#include <cstdint>

namespace lockstep {

constexpr uint32_t kPackChannels = 8;

template <typename T>
struct alignas(16) Pack {
  T value[kPackChannels];
};

// Pointers are aligned to 16 bytes.
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

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PACK_CUH_
