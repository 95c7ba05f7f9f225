// Reports which kernels the current device can run, and the number of multiprocessors among which their work is
// divided.
#ifndef LOCKSTEP_LIB_CUDA_MULTIPROCESSORS_H_
#define LOCKSTEP_LIB_CUDA_MULTIPROCESSORS_H_

#include <cstdint>

namespace lockstep {

// Returns the multiprocessors of a device of compute capability 9.0, the only one with Hopper's matrix instructions, if
// the program has kernels with them (kernel_code.h). Otherwise, or without a device, returns 0.
uint32_t HopperMultiprocessors();

// Returns the multiprocessors of a device with clusters of blocks (compute capability 9.0 and above), if the program's
// kernels were compiled for one. Otherwise returns 0.
uint32_t ClusterMultiprocessors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_MULTIPROCESSORS_H_
