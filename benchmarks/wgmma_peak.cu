#include "benchmarks/wgmma_peak.h"
#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wgmma.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kGroups = kWgmmaPeakThreads / wgmma::kThreads;
constexpr uint32_t kColumns = 256;
constexpr uint32_t kStepBytes = 32;                             // bytes of the depth per instruction
constexpr uint32_t kABytes = wgmma::kRows * wgmma::kLineBytes;  // bytes of A of one group
constexpr uint32_t kBBytes = kColumns * wgmma::kLineBytes;      // bytes of B, shared by both groups
constexpr uint32_t kWords = (kGroups * kABytes + kBBytes) / sizeof(uint32_t);

// The finalizer of MurmurHash3: https://github.com/aappleby/smhasher.
__device__ uint32_t Mixed(uint32_t value) {
  value = (value ^ value >> 16) * 0x85EBCA6Bu;
  value = (value ^ value >> 13) * 0xC2B2AE35u;
  return value ^ value >> 16;
}

__global__ __launch_bounds__(kWgmmaPeakThreads, 1) void WgmmaPeakKernel(uint32_t rounds, int32_t* sums) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  __shared__ __align__(wgmma::kPatternBytes) uint32_t values[kWords];
  for (uint32_t i = threadIdx.x; i < kWords; i += kWgmmaPeakThreads) {
    values[i] = Mixed(blockIdx.x * kWords + i + 1);
  }
  PublishStores();
  __syncthreads();
  const uint32_t group = wgmma::OfWarp(threadIdx.x / wgmma::kThreads);
  const uint64_t a = wgmma::Describe(SharedAddress(values) + group * kABytes);
  const uint64_t b = wgmma::Describe(SharedAddress(values) + kGroups * kABytes);
  int32_t acc[kColumns / 2] = {};
  for (uint32_t round = 0; round < rounds; ++round) {
    wgmma::Fence();
#pragma unroll
    for (uint32_t k = 0; k < wgmma::kLineBytes / kStepBytes; ++k) {
      wgmma::MultiplyInt8Async(wgmma::Deeper(a, k * (kStepBytes / 16)), wgmma::Deeper(b, k * (kStepBytes / 16)), acc);
    }
    wgmma::Commit();
    wgmma::Wait<1>();
  }
  wgmma::Wait<0>();
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t i = 0; i < kColumns / 2; ++i) {
    sum += static_cast<uint32_t>(acc[i]);
  }
  sums[blockIdx.x * kWgmmaPeakThreads + threadIdx.x] = static_cast<int32_t>(sum);
#endif
}

}  // namespace

cudaError_t LaunchWgmmaPeak(uint32_t rounds, uint32_t blocks, int32_t* sums, cudaStream_t stream) {
  WgmmaPeakKernel<<<blocks, kWgmmaPeakThreads, 0, stream>>>(rounds, sums);
  return cudaGetLastError();
}

}  // namespace lockstep
