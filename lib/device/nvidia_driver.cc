#include "lib/device/nvidia_driver.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/device/driver_call.h"

namespace lockstep {
namespace {

// Returns the driver's library, or null without a driver. It is never closed.
void* CudaDriver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  static const bool ready = Call<int(unsigned)>(library, "cuInit", 0u);
  return ready ? library : nullptr;
}

void* Nvml() {
  static void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  static const bool ready = Call<int()>(library, "nvmlInit_v2");
  return ready ? library : nullptr;
}

// Values of cuda.h (CUdevice_attribute).
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
constexpr int kVirtualMemoryManagement = 102;
constexpr int kFileDescriptorHandles = 103;

int Attribute(int device, int attribute) {
  int value = 0;
  Call<int(int*, int, int)>(CudaDriver(), "cuDeviceGetAttribute", &value, attribute, device);
  return value;
}

std::string DriverVersion() {
  char text[96] = "";  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (Call<int(char*, unsigned)>(Nvml(), "nvmlSystemGetDriverVersion", text, 80u)) {
    return text;
  }
  int version = 0;
  Call<int(int*)>(CudaDriver(), "cuDriverGetVersion", &version);
  return absl::StrCat("CUDA ", version / 1000, ".", version % 1000 / 10);
}

// Returns the 16 bytes in NVML's notation.
std::string Uuid(int device) {
  unsigned char b[16] = {};
  if (!Call<int(unsigned char*, int)>(CudaDriver(), "cuDeviceGetUuid_v2", b, device)) {
    return "";
  }
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    absl::StrAppendFormat(&text, i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
  }
  return text;
}

using NvmlDevice = void*;  // nvmlDevice_t

bool FindNvmlDevice(const std::string& uuid, NvmlDevice& device) {
  return Call<int(const char*, NvmlDevice*)>(Nvml(), "nvmlDeviceGetHandleByUUID", uuid.c_str(), &device);
}

// Returns a value of an NVML device, or 0.
double Number(NvmlDevice device, const char* function) {
  unsigned value = 0;
  Call<int(NvmlDevice, unsigned*)>(Nvml(), function, device, &value);
  return value;
}

double ClockMhz(NvmlDevice device, int clock) {
  unsigned value = 0;
  Call<int(NvmlDevice, int, unsigned*)>(Nvml(), "nvmlDeviceGetClockInfo", device, clock, &value);
  return value;
}

// Values of nvml.h: nvmlClockType_t, nvmlTemperatureSensors_t, nvmlClocksEventReason*.
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr uint64_t kIdle = 0x01;
constexpr std::pair<uint64_t, const char*> kThrottleReasons[] = {
    {0x02, "applications_clocks_setting"},
    {0x04, "sw_power_cap"},
    {0x08, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

unsigned long long ThrottleBits(NvmlDevice device) {
  unsigned long long bits = 0;
  using Function = int(NvmlDevice, unsigned long long*);
  // Drivers before 535 have only the second name.
  if (!Call<Function>(Nvml(), "nvmlDeviceGetCurrentClocksEventReasons", device, &bits)) {
    Call<Function>(Nvml(), "nvmlDeviceGetCurrentClocksThrottleReasons", device, &bits);
  }
  return bits;
}

constexpr int kFirstWithBf16 = 8;  // NVIDIA CUDA C++ Programming Guide, "Arithmetic Instructions"
constexpr unsigned kMaxProcesses = 64;

// nvmlProcessInfo_t of nvml.h
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance, compute_instance;
};

constexpr unsigned kMaxNvLinks = 18;  // NVML_NVLINK_MAX_LINKS

// nvmlPciInfo_t: busIdLegacy, domain, bus, device, pciDeviceId, pciSubSystemId, busId.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

// nvmlIntNvLinkDeviceType_t of the device at the far end of a link: 0 is a GPU, 2 an NVSwitch.
constexpr int kRemoteSwitch = 2;

}  // namespace

absl::StatusOr<GpuFacts> ReadGpuFacts(int index) {
  if (CudaDriver() == nullptr) {
    return absl::UnavailableError("no NVIDIA driver on this machine (libcuda.so.1 is missing, or finds no GPU)");
  }
  int device = 0;
  if (!Call<int(int*, int)>(CudaDriver(), "cuDeviceGet", &device, index)) {
    return absl::UnavailableError(absl::StrCat("no GPU number ", index, " among those that CUDA shows"));
  }
  GpuFacts facts;
  char name[256] = "";
  Call<int(char*, int, int)>(CudaDriver(), "cuDeviceGetName", name, 255, device);
  facts.name = name;
  size_t bytes = 0;
  Call<int(size_t*, int)>(CudaDriver(), "cuDeviceTotalMem_v2", &bytes, device);
  facts.memory_bytes = bytes;
  facts.driver_version = DriverVersion();
  facts.compute_capability =
      absl::StrCat(Attribute(device, kComputeCapabilityMajor), ".", Attribute(device, kComputeCapabilityMinor));
  facts.uuid = Uuid(device);
  return facts;
}

absl::Status CheckGpuPrecision(const GpuFacts& facts, proto::Precision precision) {
  int major = 0;
  const std::string whole = facts.compute_capability.substr(0, facts.compute_capability.find('.'));
  if (precision == proto::FP32 || !absl::SimpleAtoi(whole, &major) || major >= kFirstWithBf16) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(facts.name, " is of compute capability ", facts.compute_capability,
                                                 ", and ", proto::Precision_Name(precision), " begins with ",
                                                 kFirstWithBf16, ".0: use --precision=fp32"));
}

absl::Status CheckGpusShareMemory(uint32_t gpus) {
  if (CudaDriver() == nullptr) {
    return absl::UnavailableError("no NVIDIA driver on this machine");
  }
  std::vector<int> devices(gpus);
  for (uint32_t i = 0; i < gpus; ++i) {
    if (!Call<int(int*, int)>(CudaDriver(), "cuDeviceGet", &devices[i], static_cast<int>(i))) {
      return absl::UnavailableError(absl::StrCat("no GPU number ", i, " among those that CUDA shows"));
    }
    if (Attribute(devices[i], kVirtualMemoryManagement) == 0 || Attribute(devices[i], kFileDescriptorHandles) == 0) {
      return absl::FailedPreconditionError(absl::StrCat("GPU ", i, " cannot share its memory with another process"));
    }
  }
  for (uint32_t i = 0; i < gpus; ++i) {
    for (uint32_t other = 0; other < gpus; ++other) {
      int reaches = 0;
      Call<int(int*, int, int)>(CudaDriver(), "cuDeviceCanAccessPeer", &reaches, devices[i], devices[other]);
      if (other != i && reaches == 0) {
        return absl::FailedPreconditionError(absl::StrCat("GPU ", i, " cannot access the memory of GPU ", other));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> CountGpuProcesses(const std::string& uuid) {
  NvmlDevice device = nullptr;
  if (Nvml() == nullptr || !FindNvmlDevice(uuid, device)) {
    return absl::UnavailableError("NVML (libnvidia-ml.so.1) does not show this GPU");
  }
  unsigned count = kMaxProcesses;
  ProcessInfo processes[kMaxProcesses] = {};
  using Function = int(NvmlDevice, unsigned*, ProcessInfo*);
  if (!Call<Function>(Nvml(), "nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes)) {
    return absl::UnavailableError("NVML does not list this GPU's processes");
  }
  return count;
}

proto::DeviceState ReadGpuState(const std::string& uuid) {
  proto::DeviceState state;
  NvmlDevice device = nullptr;
  if (Nvml() == nullptr) {
    state.set_absent_reason("NVML (libnvidia-ml.so.1) not found");
    return state;
  }
  if (!FindNvmlDevice(uuid, device)) {
    state.set_absent_reason("NVML does not know this GPU's UUID (a MIG slice?)");
    return state;
  }
  state.set_sm_clock_mhz(ClockMhz(device, kClockSm));
  state.set_memory_clock_mhz(ClockMhz(device, kClockMemory));
  state.set_power_watts(Number(device, "nvmlDeviceGetPowerUsage") / 1000);  // NVML returns milliwatts
  state.set_power_limit_watts(Number(device, "nvmlDeviceGetEnforcedPowerLimit") / 1000);
  unsigned celsius = 0;
  Call<int(NvmlDevice, int, unsigned*)>(Nvml(), "nvmlDeviceGetTemperature", device, kTemperatureGpu, &celsius);
  state.set_temperature_celsius(celsius);
  for (const std::string& reason : ThrottleReasonNames(ThrottleBits(device))) {
    state.add_throttle_reason(reason);
  }
  return state;
}

absl::StatusOr<double> ReadGpuJoules(const std::string& uuid) {
  NvmlDevice device = nullptr;
  if (Nvml() == nullptr || !FindNvmlDevice(uuid, device)) {
    return absl::UnavailableError("NVML (libnvidia-ml.so.1) does not show this GPU");
  }
  unsigned long long millijoules = 0;
  if (!Call<int(NvmlDevice, unsigned long long*)>(Nvml(), "nvmlDeviceGetTotalEnergyConsumption", device,
                                                  &millijoules)) {
    return absl::UnavailableError("this GPU has no energy counter");
  }
  return static_cast<double>(millijoules) / 1000;
}

std::vector<std::string> ThrottleReasonNames(uint64_t bits) {
  std::vector<std::string> names;
  bits &= ~kIdle;
  for (const auto& [bit, reason] : kThrottleReasons) {
    if ((bits & bit) != 0) {
      names.push_back(reason);
      bits &= ~bit;
    }
  }
  for (; bits != 0; bits &= bits - 1) {  // the lowest bit first
    names.push_back(absl::StrCat("bit 0x", absl::Hex(bits & ~(bits - 1))));
  }
  return names;
}

bool IsSlowdown(absl::string_view throttle_reason) { return absl::EndsWith(throttle_reason, "slowdown"); }

std::string LinkTopology(const std::string& uuid, const std::string& other_uuid) {
  NvmlDevice device = nullptr;
  NvmlDevice other = nullptr;
  if (Nvml() == nullptr || !FindNvmlDevice(uuid, device) || !FindNvmlDevice(other_uuid, other)) {
    return "";
  }
  PciInfo other_pci = {};
  Call<int(NvmlDevice, PciInfo*)>(Nvml(), "nvmlDeviceGetPciInfo_v3", other, &other_pci);
  int lanes = 0;
  for (unsigned link = 0; link < kMaxNvLinks; ++link) {
    unsigned active = 0;
    int remote_type = -1;
    PciInfo remote = {};
    Call<int(NvmlDevice, unsigned, unsigned*)>(Nvml(), "nvmlDeviceGetNvLinkState", device, link, &active);
    if (active == 0) {
      continue;
    }
    Call<int(NvmlDevice, unsigned, int*)>(Nvml(), "nvmlDeviceGetNvLinkRemoteDeviceType", device, link, &remote_type);
    Call<int(NvmlDevice, unsigned, PciInfo*)>(Nvml(), "nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link, &remote);
    // Through a switch, every link reaches every GPU.
    const bool same =
        remote.domain == other_pci.domain && remote.bus == other_pci.bus && remote.device == other_pci.device;
    lanes += remote_type == kRemoteSwitch || same ? 1 : 0;
  }
  return lanes > 0 ? absl::StrCat("NV", lanes) : "";
}

}  // namespace lockstep
