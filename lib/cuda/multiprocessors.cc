#include "lib/cuda/multiprocessors.h"

#include <cuda_runtime.h>

#include "lib/cuda/kernel_code.h"

namespace lockstep {
namespace {

constexpr uint32_t kFirstWithClusters = 90;

uint32_t Multiprocessors() {
  int current = 0, count = 0;
  const bool known = cudaGetDevice(&current) == cudaSuccess &&
                     cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current) == cudaSuccess;
  return known ? static_cast<uint32_t>(count) : 0;
}

}  // namespace

uint32_t HopperMultiprocessors() { return HasHopperKernels() ? Multiprocessors() : 0; }

uint32_t ClusterMultiprocessors() { return KernelArchitecture() >= kFirstWithClusters ? Multiprocessors() : 0; }

}  // namespace lockstep
