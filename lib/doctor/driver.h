// Checks of NVIDIA's driver: presence, response, and compatibility with the CUDA that LibTorch was built with.
#ifndef LOCKSTEP_LIB_DOCTOR_DRIVER_H_
#define LOCKSTEP_LIB_DOCTOR_DRIVER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks libcuda.so.1 for its version, the GPUs, and the peer access of each pair. Creates no context.
void ProbeCuda(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the areas "driver" and "cuda".
void JudgeDriver(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// Return the name of a code of cuInit, "CUDA_ERROR_NO_DEVICE (100)", and its remedy.
std::string CudaErrorName(int code);
std::string CudaErrorRemedy(int code);

// Returns "580.95.05" from the first line of /proc/driver/nvidia/version; empty if the line has no version.
std::string KernelModuleVersion(absl::string_view line);

// Returns the oldest driver for a major version of CUDA ("580"), which runs every minor version of it. Empty: not
// known. Source: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes (CUDA minor version compatibility).
std::string OldestDriver(uint32_t cuda_version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DRIVER_H_
