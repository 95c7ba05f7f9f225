// NVIDIA's driver: whether it is there, answers, and suits the CUDA that LibTorch was built with.
#ifndef LOCKSTEP_LIB_DOCTOR_DRIVER_H_
#define LOCKSTEP_LIB_DOCTOR_DRIVER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks libcuda.so.1: version, GPUs, peer access of each pair. Creates no context.
void ProbeCuda(const DoctorRequest& request, ProbeAnswer& answer);

// The areas "driver" and "cuda".
void JudgeDriver(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// "CUDA_ERROR_NO_DEVICE (100)" and what to do about it, of cuInit's codes.
std::string CudaErrorName(int code);
std::string CudaErrorMend(int code);

// "580.95.05" from the first line of /proc/driver/nvidia/version; empty when it has none.
std::string KernelModuleVersion(absl::string_view line);

// The oldest driver of a CUDA's major version ("580"), by which every minor one of it runs. Empty: not known.
// https://docs.nvidia.com/cuda/cuda-toolkit-release-notes (CUDA minor version compatibility).
std::string OldestDriver(uint32_t cuda_version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DRIVER_H_
