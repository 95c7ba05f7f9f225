#include "lib/cuda/overlapped_count_testing.h"
#include "lib/cuda/overlapped_launch.cuh"

namespace lockstep::testing {
namespace {

constexpr uint32_t kThreads = 256;
constexpr int64_t kCyclesUntilWritten = 60'000;  // 30 us at 2 GHz; a launch begins in much less time

__global__ void CountKernel(const volatile uint32_t* from, volatile uint32_t* to, bool waits) {
  LetNextBegin();
  if (waits) {
    WaitForLaunchBefore();
  }
  const uint32_t found = from[threadIdx.x];
  const int64_t begin = clock64();
  while (clock64() - begin < kCyclesUntilWritten) {
  }
  to[threadIdx.x] = found + 1;
}

}  // namespace

cudaError_t CountOverlapped(const uint32_t* from, uint32_t* to, bool waits, cudaStream_t stream) {
  return LaunchOverlapped(CountKernel, {1, kThreads}, stream, from, to, waits);
}

bool CountsOverlap() { return CanOverlap(reinterpret_cast<const void*>(CountKernel)); }

}  // namespace lockstep::testing
