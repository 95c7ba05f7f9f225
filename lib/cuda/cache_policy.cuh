// Accesses to device memory that no kernel repeats soon. Their lines are the first that the L2 cache evicts, so that
// the cache keeps what the next kernels read.
//
// Source: PTX ISA 9.0, "createpolicy", "ld", "st". Before compute capability 8.0 these are ordinary accesses.
#ifndef LOCKSTEP_LIB_CUDA_CACHE_POLICY_CUH_
#define LOCKSTEP_LIB_CUDA_CACHE_POLICY_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace lockstep {

// Returns the cache policy "evict first" or "evict normal", in the form of a PTX instruction's operand. Requires
// compute capability 8.0.
__device__ inline uint64_t EvictFirst() {
  uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline uint64_t EvictNormal() {
  uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

namespace cache_policy {

__device__ inline void LoadWord(const uint2* from, uint2& to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ld.global.cg.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
               : "=r"(to.x), "=r"(to.y)
               : "l"(from), "l"(EvictFirst())
               : "memory");
#else
  to = __ldcg(from);
#endif
}
__device__ inline void LoadWord(const uint4* from, uint4& to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
               : "l"(from), "l"(EvictFirst())
               : "memory");
#else
  to = __ldcg(from);
#endif
}
__device__ inline void StoreWord(const uint4& from, uint4* to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(from.x), "r"(from.y),
               "r"(from.z), "r"(from.w), "l"(EvictFirst())
               : "memory");
#else
  *to = from;
#endif
}

// Words that are loaded at once: 8 bytes of a type of that size, otherwise 16.
template <typename T>
struct WordOf {
  using Type = uint4;
};
template <typename T>
requires(sizeof(T) == sizeof(uint2)) struct WordOf<T> {
  using Type = uint2;
};

}  // namespace cache_policy

// Loads or stores a value in global memory, aligned to its size or to 16 bytes. Its size must be 8 bytes (only loads)
// or a multiple of 16. Loads bypass the L1 cache.
template <typename T>
__device__ T LoadEvictFirst(const T* from) {
  using Word = typename cache_policy::WordOf<T>::Type;
  static_assert(sizeof(T) % sizeof(Word) == 0);
  T value;
#pragma unroll
  for (uint32_t i = 0; i < sizeof(T) / sizeof(Word); ++i) {
    Word word;
    cache_policy::LoadWord(reinterpret_cast<const Word*>(from) + i, word);
    std::memcpy(reinterpret_cast<char*>(&value) + i * sizeof(Word), &word, sizeof(Word));
  }
  return value;
}
template <typename T>
__device__ void StoreEvictFirst(const T& value, T* to) {
  static_assert(sizeof(T) % sizeof(uint4) == 0);
#pragma unroll
  for (uint32_t i = 0; i < sizeof(T) / sizeof(uint4); ++i) {
    uint4 word;
    std::memcpy(&word, reinterpret_cast<const char*>(&value) + i * sizeof(uint4), sizeof(uint4));
    cache_policy::StoreWord(word, reinterpret_cast<uint4*>(to) + i);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_CACHE_POLICY_CUH_
