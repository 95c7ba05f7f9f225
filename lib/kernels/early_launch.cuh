// A kernel that begins while the one before it on its stream still runs, and itself waits for what that one writes:
// what it needs not wait for, its blocks' placing and their set-up, costs no time then. Compute capability 9.0 and
// above.
//
// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".
#ifndef LOCKSTEP_LIB_KERNELS_EARLY_LAUNCH_CUH_
#define LOCKSTEP_LIB_KERNELS_EARLY_LAUNCH_CUH_

#include <cuda_runtime.h>

namespace lockstep {

// By each thread, before it touches what a kernel before may use: until the kernel before is over and its writes are
// seen. At once in a kernel that was not launched early.
__device__ inline void WaitForKernelBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Once all blocks have come here or are over, the kernel behind may begin, if it is launched early. Only before a kernel
// of ours: cuDNN launches its own early, too, and what they do before they wait is not known.
__device__ inline void LetKernelBehindBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Of an early launch. The kernel before must be the last thing on the stream: no event waited for since.
inline cudaLaunchAttribute EarlyLaunch() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_EARLY_LAUNCH_CUH_
