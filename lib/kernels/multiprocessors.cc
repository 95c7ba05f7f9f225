#include "lib/kernels/multiprocessors.h"

#include <cuda_runtime.h>

namespace lockstep {
namespace {

struct Device {
  int major = 0, minor = 0, multiprocessors = 0;  // zeros: there is none
};

Device CurrentDevice() {
  int current = 0;
  Device device;
  const bool known =
      cudaGetDevice(&current) == cudaSuccess &&
      cudaDeviceGetAttribute(&device.major, cudaDevAttrComputeCapabilityMajor, current) == cudaSuccess &&
      cudaDeviceGetAttribute(&device.minor, cudaDevAttrComputeCapabilityMinor, current) == cudaSuccess &&
      cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, current) == cudaSuccess;
  return known ? device : Device();
}

}  // namespace

uint32_t HopperMultiprocessors() {
  const Device device = CurrentDevice();
  return device.major == 9 && device.minor == 0 ? static_cast<uint32_t>(device.multiprocessors) : 0;
}

uint32_t ClusterMultiprocessors() {
  const Device device = CurrentDevice();
  return device.major >= 9 ? static_cast<uint32_t>(device.multiprocessors) : 0;
}

}  // namespace lockstep
