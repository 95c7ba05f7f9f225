// The device that a tool computes on: chosen, described, watched. The same calls serve CPU and CUDA; LibTorch's
// device-independent interfaces are used throughout, so that this builds alike with and without CUDA.
#ifndef LOCKSTEP_LIB_DEVICE_DEVICE_H_
#define LOCKSTEP_LIB_DEVICE_DEVICE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// How many ranks share a GPU: LOCKSTEP_RANKS_PER_GPU from the environment, or 1. It is for trying and testing what wants
// more GPUs than there are: ranks that share one take turns on it, so their times say nothing.
uint32_t RanksPerGpu();

// The ranks that this host's GPUs have room for: RanksPerGpu() for each that CUDA shows. Creates no context on any.
uint32_t CountRankGpus();

// --device=auto|cpu|cuda as a device: auto is CUDA where there is one. `index` is the rank's among those of this host: it has
// the GPU of that number, counted round when they are shared.
// InvalidArgument: another word. Unavailable: no CUDA device of that index; says whether LibTorch or the machine lacks it.
absl::StatusOr<c10::Device> ResolveDevice(absl::string_view flag, int index = 0);

// InvalidArgument: this GPU does not compute in this precision; names one that it has.
absl::Status CheckPrecision(c10::Device device, proto::Precision precision);

proto::DeviceKind ToDeviceKind(c10::Device device);

// For a record's header. Creates no context on a GPU. A CPU is described by its model and the machine's memory.
absl::StatusOr<proto::Device> DescribeDevice(c10::Device device);

// Versions as found at run time: LibTorch; for a CUDA device also the CUDA runtime, cuDNN, and NCCL when it is loaded.
proto::Libraries LoadedLibraries(c10::Device device);

// Clocks, power, temperature, throttling, now. Of a CPU: an absent_reason.
proto::DeviceState ReadDeviceState(c10::Device device);

// The same for many readings of one device, also from another thread: who it is is asked once.
std::function<proto::DeviceState()> DeviceStateReader(c10::Device device);

// Other processes with a context on a GPU, now: what NVML lists, less this run's own (RanksPerGpu). Unavailable: of a CPU, or
// NVML does not tell.
absl::StatusOr<uint32_t> CountOtherGpuProcesses(c10::Device device);

// Starts a new peak. On a CPU the peak is the process's resident set (VmHWM), code and buffers included; on CUDA the bytes
// that the caching allocator has handed out.
void ResetPeakMemory(c10::Device device);
uint64_t PeakMemoryBytes(c10::Device device);

// Bytes that can be had on a GPU: those that nobody holds, and those that the caching allocator holds. 0 for a CPU.
uint64_t AvailableMemoryBytes(c10::Device device);

// Returns once everything that was queued on the device is done. At once for a CPU.
void SynchronizeDevice(c10::Device device);

// How LibTorch computes, for the whole process.
struct Numerics {
  proto::Precision precision = proto::FP32;  // FP32 switches TF32 off in matrix products and convolutions alike
  bool deterministic = false;  // refuse or replace operators without a bitwise repeatable version; no autotuning
  uint32_t threads = 0;        // CPU threads (compute_threads.h); 0: LibTorch's default
};

// Call before anything is computed. cuDNN is autotuned unless deterministic, as in the lab's scripts
// (torch.backends.cudnn.benchmark). InvalidArgument: a precision that is not built, or more
// threads than OpenMP gives.
absl::Status SetNumerics(const Numerics& numerics);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_DEVICE_H_
