// Reports which kernels the current device can run, and the number of multiprocessors among which their work is
// divided.
#ifndef LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
#define LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_

#include <cstdint>

namespace lockstep {

// Returns the number of multiprocessors if the device has compute capability 9.0, the only one with Hopper's matrix
// instructions, and the program contains kernels that use them (kernel_code.h). Otherwise, or without a device, returns
// 0.
uint32_t HopperMultiprocessors();

// Returns the number of multiprocessors if the device has clusters of blocks (compute capability 9.0 and above) and the
// program's kernels were compiled for such a device. Otherwise returns 0.
uint32_t ClusterMultiprocessors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
