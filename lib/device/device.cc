#include "lib/device/device.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/kernel_file.h"
#include "lib/base/status_macros.h"
#include "lib/device/compute_threads.h"
#include "lib/device/nvidia_driver.h"
#include "lib/device/rapl.h"
#include "lib/record/digest.h"
#include "lib/record/environment_fingerprint.h"

namespace lockstep {
namespace {

constexpr uint64_t kBytesPerKib = 1024;
constexpr long kMaxRanksPerGpu = 64;

// Returns the version of the loaded library, not of the headers. TORCH_ABI_VERSION in torch/headeronly/version.h has a
// byte for each part.
std::string TorchVersion() {
  const uint64_t version = aoti_torch_abi_version();
  return absl::StrCat(version >> 56, ".", version >> 48 & 0xFF, ".", version >> 40 & 0xFF);
}

// Returns NCCL's version; empty without LibTorch's CUDA library, which loads NCCL.
std::string NcclVersion() {
  const auto get = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "ncclGetVersion"));
  int version = 0;
  if (get == nullptr || get(&version) != 0) {
    return "";
  }
  // NCCL_VERSION in nccl.h: major * 10000 + minor * 100 + patch from 2.9 on.
  return absl::StrCat(version / 10000, ".", version % 10000 / 100, ".", version % 100);
}

// Formats CUDART_VERSION: major * 1000 + minor * 10.
std::string CudaVersion(long version) { return absl::StrCat(version / 1000, ".", version % 1000 / 10); }

// Formats CUDNN_VERSION, from version 9 on: major * 10000 + minor * 100 + patch.
std::string CudnnVersion(long version) {
  return absl::StrCat(version / 10000, ".", version % 10000 / 100, ".", version % 100);
}

// Returns the bytes in a line of /proc/self/status such as "VmHWM:  123456 kB"; 0 if there is no such line.
uint64_t StatusBytes(const std::string& field) {
  return KernelFileNumber("/proc/self/status", field).value_or(0) * kBytesPerKib;
}

absl::StatusOr<c10::Device> ResolveCuda(int index) {
  const int count = at::hasCUDA() ? static_cast<int>(torch::cuda::device_count()) : 0;
  if (index < count * static_cast<int>(RanksPerGpu())) {
    return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index % count));
  }
  if (count > 0) {
    return absl::UnavailableError(
        absl::StrCat("no CUDA device number ", index, ": CUDA shows ", count, " (CUDA_VISIBLE_DEVICES decides which)"));
  }
  if (!at::detail::getCUDAHooks().hasCUDART()) {
    return absl::UnavailableError(
        "--device=cuda: this LibTorch was built without CUDA; use --device=cpu, or build with a LibTorch for CUDA");
  }
  return absl::UnavailableError(
      "--device=cuda: LibTorch has CUDA, but finds no GPU that it can use on this machine; "
      "see nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device=cpu");
}

}  // namespace

uint32_t RanksPerGpu() {
  const char* asked = std::getenv(kRanksPerGpuVariable);
  const long number = asked != nullptr ? std::strtol(asked, nullptr, 10) : 0;
  return number > 0 ? static_cast<uint32_t>(std::min(number, kMaxRanksPerGpu)) : 1;
}

uint32_t CountRankGpus() {
  const auto count =
      c10::impl::hasDeviceGuardImpl(c10::kCUDA) ? c10::impl::VirtualGuardImpl(c10::kCUDA).deviceCount() : 0;
  return static_cast<uint32_t>(count) * RanksPerGpu();
}

absl::StatusOr<c10::Device> ResolveDevice(absl::string_view flag, int index) {
  if (flag == "cpu") {
    return c10::Device(c10::kCPU);
  }
  if (flag == "auto" && !(at::hasCUDA() && torch::cuda::is_available())) {
    return c10::Device(c10::kCPU);
  }
  if (flag == "auto" || flag == "cuda") {
    return ResolveCuda(index);
  }
  return absl::InvalidArgumentError(absl::StrCat("--device=", flag, ": expected auto, cpu or cuda"));
}

absl::Status CheckPrecision(c10::Device device, proto::Precision precision) {
  if (!device.is_cuda()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const GpuFacts facts, ReadGpuFacts(device.index()));
  return CheckGpuPrecision(facts, precision);
}

proto::DeviceKind ToDeviceKind(c10::Device device) { return device.is_cuda() ? proto::CUDA : proto::CPU; }

absl::StatusOr<proto::Device> DescribeDevice(c10::Device device) {
  proto::Device description;
  if (!device.is_cuda()) {
    const proto::Host host = DescribeHost();
    description.set_name(host.cpu_model());
    description.set_memory_bytes(host.memory_bytes());
    return description;
  }
  ASSIGN_OR_RETURN(const GpuFacts facts, ReadGpuFacts(device.index()));
  description.set_name(facts.name);
  description.set_memory_bytes(facts.memory_bytes);
  description.set_driver_version(facts.driver_version);
  description.set_compute_capability(facts.compute_capability);
  description.set_uuid_sha256(facts.uuid.empty() ? "" : Sha256Hex(facts.uuid));
  for (int before = 0; before < device.index(); ++before) {
    absl::StatusOr<GpuFacts> other = ReadGpuFacts(before);
    const std::string link = other.ok() ? LinkTopology(facts.uuid, other->uuid) : "";
    absl::StrAppend(description.mutable_link_topology(), before == 0 ? "" : " ", link.empty() ? "-" : link);
  }
  return description;
}

proto::Libraries LoadedLibraries(c10::Device device) {
  proto::Libraries libraries;
  libraries.set_libtorch(TorchVersion());
  if (device.is_cuda()) {
    const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
    libraries.set_cuda(CudaVersion(hooks.versionCUDART()));
    libraries.set_cudnn(hooks.hasCuDNN() ? CudnnVersion(hooks.versionRuntimeCuDNN()) : "");
    libraries.set_nccl(NcclVersion());
  }
  return libraries;
}

absl::StatusOr<uint32_t> CountOtherGpuProcesses(c10::Device device) {
  if (!device.is_cuda()) {
    return absl::UnavailableError("device is a CPU");
  }
  ASSIGN_OR_RETURN(const GpuFacts facts, ReadGpuFacts(device.index()));
  ASSIGN_OR_RETURN(const uint32_t all, CountGpuProcesses(facts.uuid));
  return all - std::min(all, RanksPerGpu());
}

proto::DeviceState ReadDeviceState(c10::Device device) { return DeviceStateReader(device)(); }

std::function<proto::DeviceState()> DeviceStateReader(c10::Device device) {
  proto::DeviceState absent;
  if (!device.is_cuda()) {
    absent.set_absent_reason("device is a CPU");
    return [absent] { return absent; };
  }
  const absl::StatusOr<GpuFacts> facts = ReadGpuFacts(device.index());
  if (!facts.ok()) {
    absent.set_absent_reason(std::string(facts.status().message()));
    return [absent] { return absent; };
  }
  return [uuid = facts->uuid] { return ReadGpuState(uuid); };
}

EnergySensor DeviceEnergySensor(c10::Device device) {
  if (!device.is_cuda()) {
    return RaplSensor();
  }
  // On an H200 (driver 580.159, November 2026) the counter changed every 100 ms, and a reading took 4 ms.
  constexpr double kUpdateSeconds = 0.1;
  const absl::StatusOr<GpuFacts> facts = ReadGpuFacts(device.index());
  const auto read = [facts]() -> absl::StatusOr<double> {
    return facts.ok() ? ReadGpuJoules(facts->uuid) : facts.status();
  };
  return {read, "NVML's energy counter", kPowerError, kUpdateSeconds};
}

void ResetPeakMemory(c10::Device device) {
  if (device.is_cuda()) {
    at::globalContext().lazyInitDevice(device.type());
    c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    return;
  }
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets VmHWM to the current resident set
}

uint64_t PeakMemoryBytes(c10::Device device) {
  if (!device.is_cuda()) {
    return StatusBytes("VmHWM:");
  }
  at::globalContext().lazyInitDevice(device.type());
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return static_cast<uint64_t>(
      stats.allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak);
}

uint64_t AvailableMemoryBytes(c10::Device device) {
  if (!device.is_cuda()) {
    return 0;
  }
  at::globalContext().lazyInitDevice(device.type());
  c10::DeviceAllocator* const allocator = c10::getDeviceAllocator(device.type());
  const auto reserved = allocator->getDeviceStats(device.index()).reserved_bytes;
  return allocator->getMemoryInfo(device.index()).first +
         static_cast<uint64_t>(reserved[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current);
}

void SynchronizeDevice(c10::Device device) {
  if (device.is_cuda()) {
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  }
}

absl::Status SetNumerics(const Numerics& numerics) {
  if (numerics.precision != proto::FP32) {
    return absl::InvalidArgumentError(
        absl::StrCat("precision ", proto::Precision_Name(numerics.precision), " is not built; expected FP32"));
  }
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(false);
  context.setAllowTF32CuDNN(false);
  context.setBenchmarkCuDNN(!numerics.deterministic);
  context.setDeterministicCuDNN(numerics.deterministic);
  context.setDeterministicAlgorithms(numerics.deterministic, /*warn_only=*/false);
  if (numerics.deterministic) {
    // cuBLAS is repeatable only with a fixed workspace (cuBLAS documentation, "Results reproducibility").
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  }
  return SetComputeThreads(numerics.threads);
}

}  // namespace lockstep
