// Reports which code of the program the current device runs. A program contains machine code for some architectures and
// PTX for later ones (--@cuda//:architectures), and the driver selects. Hence instructions that the device supports may
// be missing: a program that contains only PTX of 8.0 has no Hopper instructions, even on a Hopper GPU.
#ifndef LOCKSTEP_LIB_CUDA_KERNEL_CODE_H_
#define LOCKSTEP_LIB_CUDA_KERNEL_CODE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

// Returns the architecture for which the kernels that this device runs were compiled: 80 for machine code and for PTX
// of 8.0, on any device. Returns 0 if none of the program's code runs on the device, or if there is no device. Kernels
// that need a higher architecture are empty. Creates the device's context.
uint32_t KernelArchitecture();

// Returns whether this device can run kernels with Hopper's own instructions.
bool HasHopperKernels();

// Returns UnavailableError if there is a device but none of the program's code runs on it. The message explains how to
// build a program that does.
absl::Status CheckKernelCode();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_KERNEL_CODE_H_
