// Which kernels the current device can run, and how many multiprocessors there are to cut their work for.
#ifndef LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
#define LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_

#include <cstdint>

namespace lockstep {

// Multiprocessors of a device of compute capability 9.0, the only one with Hopper's matrix instructions, where the
// program has kernels with them (kernel_code.h). 0 for any other device or program, and without a device.
uint32_t HopperMultiprocessors();

// Multiprocessors of a device with clusters of blocks, compute capability 9.0 and above, where the program's kernels were
// compiled for one. Otherwise 0.
uint32_t ClusterMultiprocessors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
