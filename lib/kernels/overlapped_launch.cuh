// Launches that begin before the one before them on their stream has ended (programmatic dependent launch): their blocks
// are set up while its last ones still run. From compute capability 9.0 on; before it, launches like any other.
//
// Every thread of such a kernel calls WaitForLaunchBefore before it reads or writes memory that any earlier launch uses:
// tensors share memory, so that what a kernel writes may still be read by the one before. Before that call it may touch
// shared memory and what no launch writes, such as the weights of a trained network.
//
// Such a wait ends: the blocks of the launch before are all at work by then. Where they wait for each other, LetNextBegin
// comes after that, or the next launch's blocks would take places that these want.
//
// Source: CUDA C++ Programming Guide 13.0, "Programmatic Dependent Launch and Synchronization".
#ifndef LOCKSTEP_LIB_KERNELS_OVERLAPPED_LAUNCH_CUH_
#define LOCKSTEP_LIB_KERNELS_OVERLAPPED_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lockstep {

// Lets the next launch's blocks begin where there is room, once all blocks of this one have called it or have ended.
__device__ inline void LetNextBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the launch before is over and all that it wrote is there. Those before it are over as well, for it waited too or
// began behind them.
__device__ inline void WaitForLaunchBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct LaunchSize {
  dim3 blocks = dim3(0);
  uint32_t threads = 0;  // of a block
  size_t shared_bytes = 0;
  uint32_t cluster_blocks = 1;  // 1: the launch names no clusters, with which its blocks would start apart
};

// Whether the code of `kernel` that the current device runs has those waits: not where it was compiled before 9.0, as PTX
// may be. Without them it must not begin early, whatever the device.
inline bool CanOverlap(const void* kernel) {
  cudaFuncAttributes attributes = {};
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
}

inline cudaLaunchConfig_t ConfigOf(const LaunchSize& size) {
  cudaLaunchConfig_t config = {};
  config.gridDim = size.blocks;
  config.blockDim = dim3(size.threads);
  config.dynamicSmemBytes = size.shared_bytes;
  return config;
}

inline cudaLaunchAttribute ClusterOf(const LaunchSize& size) {
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = size.cluster_blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  return cluster;
}

// Launches a kernel that keeps the rule above; no blocks do nothing. Returns the launch's error.
template <typename... Parameters, typename... Arguments>
cudaError_t LaunchOverlapped(void (*kernel)(Parameters...), const LaunchSize& size, cudaStream_t stream,
                             Arguments&&... arguments) {
  if (size.blocks.x == 0) {
    return cudaSuccess;
  }
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = ConfigOf(size);
  config.stream = stream;
  config.attrs = attributes;
  if (CanOverlap(reinterpret_cast<const void*>(kernel))) {
    cudaLaunchAttribute& overlap = attributes[config.numAttrs++];
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
  }
  if (size.cluster_blocks > 1) {
    attributes[config.numAttrs++] = ClusterOf(size);
  }
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
  return error == cudaSuccess ? error : cudaGetLastError();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_OVERLAPPED_LAUNCH_CUH_
