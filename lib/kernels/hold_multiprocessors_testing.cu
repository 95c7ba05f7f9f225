#include "lib/cuda/wait_report.h"
#include "lib/kernels/hold_multiprocessors_testing.h"

namespace lockstep::testing {
namespace {

constexpr uint32_t kMaxHeldTurns = 7;  // turns of the clock, 4.3 s each

__global__ void Hold(const volatile uint32_t* release) {
  const uint32_t begin = ClockTurns();
  while (*release == 0 && ClockTurns() - begin < kMaxHeldTurns) {
    __nanosleep(1000);
  }
}

}  // namespace

cudaError_t HoldMultiprocessors(uint32_t multiprocessors, const volatile uint32_t* release, cudaStream_t stream) {
  int device = 0, bytes = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  if (error == cudaSuccess) {
    error = cudaFuncSetAttribute(Hold, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  }
  if (error != cudaSuccess) {
    return error;
  }
  Hold<<<multiprocessors, 1, bytes, stream>>>(release);
  return cudaGetLastError();
}

}  // namespace lockstep::testing
