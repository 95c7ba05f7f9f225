// Facts about a GPU from NVIDIA's driver: its identity (libcuda.so.1) and its state (NVML, libnvidia-ml.so.1).
//
// Both libraries come with the driver, not with the toolkit, and are opened at run time. So a program built without
// CUDA has the same functions, and on a machine without a driver it starts and reports the reason.
#ifndef LOCKSTEP_LIB_DEVICE_NVIDIA_DRIVER_H_
#define LOCKSTEP_LIB_DEVICE_NVIDIA_DRIVER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Identity of one GPU. Reading it creates no context, so it takes no GPU memory.
struct GpuFacts {
  std::string name;  // "NVIDIA H200"
  uint64_t memory_bytes = 0;
  std::string driver_version;      // "580.95.05"; without NVML, the CUDA version of the driver: "CUDA 13.0"
  std::string compute_capability;  // "9.0"
  std::string uuid;                // "GPU-5e0cdc48-..."; empty if the driver does not report it
};

// Reads the facts of GPU `index` among those that CUDA shows (CUDA_VISIBLE_DEVICES). Returns UnavailableError if there
// is no driver or no such GPU.
absl::StatusOr<GpuFacts> ReadGpuFacts(int index);

// Returns InvalidArgumentError, with the GPU and a precision that it supports, for bf16 or TF32 on a GPU before 8.0,
// whose tensor cores have neither. Accepts a capability that cannot be read.
absl::Status CheckGpuPrecision(const GpuFacts& facts, proto::Precision precision);

// Checks that the processes of the first `gpus` GPUs can exchange memory handles, and that each GPU can access the
// memory of every other GPU. Returns FailedPreconditionError naming the first GPU that cannot, and UnavailableError if
// there is no driver or too few GPUs.
absl::Status CheckGpusShareMemory(uint32_t gpus);

// Returns the number of processes, including this one, with a context on the GPU with this UUID. In a container, NVML
// may hide those of other containers. Returns UnavailableError if NVML cannot list them.
absl::StatusOr<uint32_t> CountGpuProcesses(const std::string& uuid);

// Reads clocks, power, temperature and throttle reasons of the GPU with this UUID; only absent_reason is set if NVML is
// missing or does not know the GPU. A value that the GPU does not report is 0.
proto::DeviceState ReadGpuState(const std::string& uuid);

// Limit of the error of NVML's power readings, as a fraction. Source: nvml.h, nvmlDeviceGetPowerUsage, "accurate to
// within +/- 5% of current power draw", for Fermi and Kepler. NVML documents no figure for later GPUs, and none for the
// energy counter.
inline constexpr double kPowerError = 0.05;

// Returns the energy in joules that the GPU with this UUID has used since its driver was loaded
// (nvmlDeviceGetTotalEnergyConsumption, Volta and later). Returns UnavailableError if NVML cannot tell.
absl::StatusOr<double> ReadGpuJoules(const std::string& uuid);

// Returns the names of throttle reasons, from bits of nvml.h's nvmlClocksEventReason*. Idleness is omitted, because it
// throttles nothing. A bit without a name gives "bit 0x200".
std::vector<std::string> ThrottleReasonNames(uint64_t bits);

// Returns true if the reason is heat or the power supply. A power cap is normal at full load, and clocks that a user
// has set are constant.
bool IsSlowdown(absl::string_view throttle_reason);

// Returns the NVLink connection of two GPUs in the notation of nvidia-smi topo: "NV18"; empty if there is none or NVML
// is missing.
std::string LinkTopology(const std::string& uuid, const std::string& other_uuid);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_NVIDIA_DRIVER_H_
