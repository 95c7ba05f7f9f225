// Device that a tool computes on: its choice, description and state. The calls are the same for CPU and CUDA. Only
// LibTorch's device-independent interfaces are used, so the code builds with and without CUDA.
#ifndef LOCKSTEP_LIB_DEVICE_DEVICE_H_
#define LOCKSTEP_LIB_DEVICE_DEVICE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/device/energy_sensor.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

inline constexpr char kRanksPerGpuVariable[] = "LOCKSTEP_RANKS_PER_GPU";

// Returns the number of ranks that share a GPU: kRanksPerGpuVariable from the environment, or 1. Intended for tests
// that need more GPUs than the host has. Ranks that share a GPU take turns on it, so their times mean nothing.
uint32_t RanksPerGpu();

// Returns the number of ranks that this host's GPUs can run: RanksPerGpu() for each GPU that CUDA shows. Creates no
// context on a GPU.
uint32_t CountRankGpus();

// Returns the device for --device=auto|cpu|cuda; auto is CUDA if available. `index` is the rank's number on this host.
// The rank gets the GPU of this number, modulo the number of GPUs if they are shared. Returns InvalidArgumentError for
// another word, and UnavailableError if there is no CUDA device for this index; the message tells whether LibTorch or
// the machine lacks it.
absl::StatusOr<c10::Device> ResolveDevice(absl::string_view flag, int index = 0);

// Returns InvalidArgumentError, with a precision that the GPU supports, if it does not support this one.
absl::Status CheckPrecision(c10::Device device, proto::Precision precision);

proto::DeviceKind ToDeviceKind(c10::Device device);

// Describes the device for a record's header: a GPU without creating a context, a CPU by its model and the machine's
// memory.
absl::StatusOr<proto::Device> DescribeDevice(c10::Device device);

// Returns the versions found at run time: LibTorch; for a CUDA device also the CUDA runtime, cuDNN, and NCCL if it is
// loaded.
proto::Libraries LoadedLibraries(c10::Device device);

// Reads the current clocks, power, temperature and throttling. For a CPU, only absent_reason is set.
proto::DeviceState ReadDeviceState(c10::Device device);

// Returns a function that does the same, for many readings of one device, and on any thread. The device is identified
// only once.
std::function<proto::DeviceState()> DeviceStateReader(c10::Device device);

// Returns the energy counter of a GPU, or of this host's CPU packages. If there is none, reading it gives the reason.
EnergySensor DeviceEnergySensor(c10::Device device);

// Returns the current number of other processes with a context on a GPU: those that NVML lists, without this run's own
// (RanksPerGpu). Returns UnavailableError for a CPU, or if NVML cannot list them.
absl::StatusOr<uint32_t> CountOtherGpuProcesses(c10::Device device);

// ResetPeakMemory() resets the peak that PeakMemoryBytes() returns. On a CPU the peak is that of the process's resident
// set (VmHWM), including code and buffers; on CUDA that of the bytes that the caching allocator has handed out.
void ResetPeakMemory(c10::Device device);
uint64_t PeakMemoryBytes(c10::Device device);

// Returns the bytes that can be allocated on a GPU: free memory, and memory that the caching allocator has reserved. 0
// for a CPU.
uint64_t AvailableMemoryBytes(c10::Device device);

// Waits until all work that was queued on the device is done. Returns at once for a CPU.
void SynchronizeDevice(c10::Device device);

// Settings of LibTorch's arithmetic, for the whole process.
struct Numerics {
  proto::Precision precision = proto::FP32;  // FP32 also switches TF32 off in matrix products and convolutions
  bool deterministic = false;  // refuse or replace operators without a bitwise repeatable version; no autotuning
  uint32_t threads = 0;        // CPU threads (compute_threads.h); 0: LibTorch's default
};

// Applies the settings. Must be called before anything is computed. cuDNN is autotuned unless deterministic, as in
// the lab's scripts (torch.backends.cudnn.benchmark). Returns InvalidArgumentError if the precision is not FP32, and
// the errors of SetComputeThreads.
absl::Status SetNumerics(const Numerics& numerics);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_DEVICE_H_
