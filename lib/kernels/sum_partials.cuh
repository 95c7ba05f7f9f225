// Adds up partial sums that blocks have written, each of which is the sum of many products: in fp32, four sums per
// vector, in an order that depends only on the number of partials.
#ifndef LOCKSTEP_LIB_KERNELS_SUM_PARTIALS_CUH_
#define LOCKSTEP_LIB_KERNELS_SUM_PARTIALS_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/cuda/cache_policy.cuh"

namespace lockstep {

inline constexpr uint32_t kPartialsAtOnce = 6;  // partials that a thread loads before it waits for the first of them

__device__ inline float4 Add(const float4& a, const float4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

// Adds up the partials of a vector. Must be called by all threads of a block of (kVectors, kLanes): each lane of a
// vector adds up every kLanes-th partial, and the first lane adds up the lanes' sums in order. Returns true only in the
// first lane. partial: the vector in the first partial; the next partial's vector is `stride` vectors later.
template <uint32_t kVectors, uint32_t kLanes>
__device__ bool SumPartials(const float4* partial, size_t stride, uint32_t partials, float4& sum) {
  sum = {0, 0, 0, 0};
  for (uint32_t first = threadIdx.y; first < partials; first += kPartialsAtOnce * kLanes) {
    float4 next[kPartialsAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kPartialsAtOnce; ++k) {
      if (first + k * kLanes < partials) {
        next[k] = LoadEvictFirst(partial + (first + k * kLanes) * stride);
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < kPartialsAtOnce; ++k) {
      if (first + k * kLanes < partials) {
        sum = Add(sum, next[k]);
      }
    }
  }
  if constexpr (kLanes > 1) {
    __shared__ float4 of_lanes[kLanes][kVectors];
    of_lanes[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    for (uint32_t lane = 1; threadIdx.y == 0 && lane < kLanes; ++lane) {
      sum = Add(sum, of_lanes[lane][threadIdx.x]);
    }
  }
  return threadIdx.y == 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SUM_PARTIALS_CUH_
