// What NVIDIA's driver says of a GPU: who it is (libcuda.so.1) and how it does (NVML, libnvidia-ml.so.1).
//
// Both come with the driver, not with the toolkit, and are opened at run time: a program built on a machine without CUDA
// asks the same questions, and a machine without a driver answers with a reason instead of failing to start.
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

// One GPU. Creates no context on it, so it costs the GPU no memory.
struct GpuFacts {
  std::string name;  // "NVIDIA H200"
  uint64_t memory_bytes = 0;
  std::string driver_version;      // "580.95.05"; without NVML the CUDA version that the driver supports: "CUDA 13.0"
  std::string compute_capability;  // "9.0"
  std::string uuid;                // "GPU-5e0cdc48-..."; empty when the driver does not tell
};

// `index` counts the GPUs that CUDA shows (CUDA_VISIBLE_DEVICES). Unavailable: no driver, or no such GPU.
absl::StatusOr<GpuFacts> ReadGpuFacts(int index);

// InvalidArgument: bf16 or TF32 of a GPU before 8.0, whose tensor cores have neither; names the GPU and a precision that it
// has. A capability that cannot be read passes.
absl::Status CheckGpuPrecision(const GpuFacts& facts, proto::Precision precision);

// Whether the first `gpus` GPUs can hand their memory to each other's processes and reach it, both ways. FailedPrecondition
// names the first one that cannot. Unavailable: no driver, or not so many GPUs.
absl::Status CheckGpusShareMemory(uint32_t gpus);

// How many processes hold a context on the GPU with this UUID, this one among them; in a container NVML may not show those
// of other containers. Unavailable: NVML does not tell.
absl::StatusOr<uint32_t> CountGpuProcesses(const std::string& uuid);

// Clocks, power, temperature and what holds the clocks back, of the GPU with this UUID; absent_reason when NVML is not
// there or does not know it. A value that this GPU does not report stays 0.
proto::DeviceState ReadGpuState(const std::string& uuid);

// What holds the clocks back, by name: bits of nvml.h's nvmlClocksEventReason*. None for idleness, which holds nothing back; a
// bit without a name here is "bit 0x200".
std::vector<std::string> ThrottleReasonNames(uint64_t bits);

// Whether what has this name is heat or the power supply. A power cap belongs to full load, and clocks that somebody has set
// are steady.
bool IsSlowdown(absl::string_view throttle_reason);

// NVLink lanes between two GPUs as nvidia-smi topo writes them: "NV18"; empty when there are none or NVML is not there.
std::string LinkTopology(const std::string& uuid, const std::string& other_uuid);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_NVIDIA_DRIVER_H_
