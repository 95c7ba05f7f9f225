// Launches that begin before the previous launch on their stream has ended (programmatic dependent launch): their
// blocks are set up while its last blocks run. Before compute capability 9.0 they are ordinary launches.
//
// Every thread of such a kernel must call WaitForLaunchBefore before it reads or writes memory that any earlier launch
// uses: tensors share memory, so the previous kernel may still read what this kernel writes. Before that call it may
// only access shared memory and memory that no launch writes, such as the weights of a trained network.
//
// The wait ends because all blocks of the previous launch are resident by then: LetNextBegin takes effect only when all
// of them have called it or ended. Hence blocks that wait for each other may call it before that wait, too.
//
// Source: CUDA C++ Programming Guide 13.0, "Programmatic Dependent Launch and Synchronization".
#ifndef LOCKSTEP_LIB_CUDA_OVERLAPPED_LAUNCH_CUH_
#define LOCKSTEP_LIB_CUDA_OVERLAPPED_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lockstep {

// Lets the next launch's blocks begin, if there are free resources, once all blocks of this launch have called it or
// ended.
__device__ inline void LetNextBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the previous launch has ended and its writes are visible. Earlier launches have ended too: the previous
// launch waited for them or started after them.
__device__ inline void WaitForLaunchBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct LaunchSize {
  dim3 blocks = dim3(0);
  uint32_t threads = 0;  // threads per block
  size_t shared_bytes = 0;
  // Number of blocks of a cluster. With 1 the launch has no cluster attribute: with it, the blocks of a tile would not
  // start together, which is slower (benchmarks/experiments.md).
  uint32_t cluster_blocks = 1;
};

// Returns whether the code of `kernel` that the current device runs has those waits: not if it was compiled for less
// than 9.0, as PTX may be. Without the waits it must not begin early on any device.
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

// Launches a kernel that follows the rules above; does nothing if there are no blocks. Returns the launch's error.
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

#endif  // LOCKSTEP_LIB_CUDA_OVERLAPPED_LAUNCH_CUH_
