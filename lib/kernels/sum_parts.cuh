// Adds up partial sums that blocks have written, each of which is the sum of many products: in fp32, four sums per
// vector, in an order that depends only on the number of parts.
#ifndef LOCKSTEP_LIB_KERNELS_SUM_PARTS_CUH_
#define LOCKSTEP_LIB_KERNELS_SUM_PARTS_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kPartsAtOnce = 6;  // parts that a thread loads before it waits for the first of them

__device__ inline float4 Add(const float4& a, const float4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

// Adds up the parts of a vector. Must be called by all threads of a block of (kVectors, kLanes): each lane of a vector
// adds up every kLanes-th part, and the first lane adds up the lanes' sums in order. Returns true only in the first
// lane. partial: the vector in the first part; the next part's vector is `stride` vectors later.
template <uint32_t kVectors, uint32_t kLanes>
__device__ bool SumParts(const float4* partial, size_t stride, uint32_t parts, float4& sum) {
  sum = {0, 0, 0, 0};
  for (uint32_t first = threadIdx.y; first < parts; first += kPartsAtOnce * kLanes) {
    float4 next[kPartsAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kPartsAtOnce; ++k) {
      if (first + k * kLanes < parts) {
        next[k] = __ldcg(partial + (first + k * kLanes) * stride);
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < kPartsAtOnce; ++k) {
      if (first + k * kLanes < parts) {
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

#endif  // LOCKSTEP_LIB_KERNELS_SUM_PARTS_CUH_
