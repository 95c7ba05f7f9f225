// Which of the program's code the current device runs. A program holds machine code for some architectures and PTX for
// later ones (--@cuda//:architectures), and the driver picks. So what a device could run need not be there: a program
// with PTX of 8.0 alone has no Hopper instruction in it, on a Hopper GPU too.
#ifndef LOCKSTEP_LIB_KERNELS_KERNEL_CODE_H_
#define LOCKSTEP_LIB_KERNELS_KERNEL_CODE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// The architecture that the kernels which this device runs were compiled for: 80 of machine code and of PTX of 8.0, on
// whatever device. 0: none of the program's code runs on it, or there is no device. Code of a kernel that needs more than
// that is empty. Makes the device's context.
uint32_t KernelArchitecture();

// Whether kernels of Hopper's own instructions are there for this device.
bool HasHopperKernels();

// Unavailable: there is a device, and none of the program's code runs on it; says how to build one that does.
absl::Status CheckKernelCode();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_KERNEL_CODE_H_
