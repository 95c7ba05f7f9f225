// Which kernels the current device can run, and how many multiprocessors there are to cut their work for.
#ifndef LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
#define LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_

#include <cstdint>

namespace lockstep {

// Of a device of compute capability 9.0, the only one with Hopper's matrix instructions (code for sm_90a); of any
// other, and without a device, 0.
uint32_t HopperMultiprocessors();

// Of a device with clusters of blocks, compute capability 9.0 and above; otherwise 0.
uint32_t ClusterMultiprocessors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_MULTIPROCESSORS_H_
