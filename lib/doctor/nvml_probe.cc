#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/device/driver_call.h"
#include "lib/device/nvidia_driver.h"
#include "lib/doctor/gpus.h"
#include "lib/doctor/open_library.h"

namespace lockstep {
namespace {

using Nvml = void*;                 // handle of the library
using GpuHandle = void*;            // nvmlDevice_t
using Text = std::array<char, 96>;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE and NVML_DEVICE_UUID_V2_BUFFER_SIZE

// Values and types of nvml.h.
constexpr int kClockSm = 1;            // nvmlClockType_t
constexpr int kUncorrectedErrors = 1;  // nvmlMemoryErrorType_t
constexpr int kSinceDriverLoaded = 0;  // nvmlEccCounterType_t, volatile
struct MemoryV2 {                      // nvmlMemory_v2_t; `used` excludes the driver's own memory
  unsigned version = sizeof(MemoryV2) | 2 << 24;
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};

std::string DeviceText(Nvml nvml, const char* function, GpuHandle device) {
  Text text = {};
  Call<int(GpuHandle, char*, unsigned)>(nvml, function, device, text.data(), static_cast<unsigned>(text.size() - 1));
  return text.data();
}

void ReadErrorsAndModes(Nvml nvml, GpuHandle device, proto::NvmlGpu& gpu) {
  unsigned current = 0, pending = 0;
  if (Call<int(GpuHandle, unsigned*, unsigned*)>(nvml, "nvmlDeviceGetEccMode", device, &current, &pending)) {
    gpu.set_ecc_on(current != 0);
  }
  unsigned long long errors = 0;
  if (Call<int(GpuHandle, int, int, unsigned long long*)>(nvml, "nvmlDeviceGetTotalEccErrors", device,
                                                          kUncorrectedErrors, kSinceDriverLoaded, &errors)) {
    gpu.set_uncorrected_ecc_errors(static_cast<double>(errors));
  }
  if (Call<int(GpuHandle, unsigned*, unsigned*)>(nvml, "nvmlDeviceGetMigMode", device, &current, &pending)) {
    gpu.set_mig_on(current != 0);
  }
  int mode = 0;
  if (Call<int(GpuHandle, int*)>(nvml, "nvmlDeviceGetComputeMode", device, &mode)) {
    gpu.set_compute_mode(static_cast<uint32_t>(mode));
  }
}

proto::NvmlGpu ReadGpu(Nvml nvml, GpuHandle device) {
  proto::NvmlGpu gpu;
  gpu.set_name(DeviceText(nvml, "nvmlDeviceGetName", device));
  gpu.set_uuid(DeviceText(nvml, "nvmlDeviceGetUUID", device));
  *gpu.mutable_state() = ReadGpuState(gpu.uuid());
  unsigned clock = 0;
  Call<int(GpuHandle, int, unsigned*)>(nvml, "nvmlDeviceGetMaxClockInfo", device, kClockSm, &clock);
  gpu.set_max_sm_clock_mhz(clock);
  MemoryV2 memory;
  if (Call<int(GpuHandle, MemoryV2*)>(nvml, "nvmlDeviceGetMemoryInfo_v2", device, &memory)) {
    gpu.set_memory_used_bytes(static_cast<double>(memory.used));
  }
  ReadErrorsAndModes(nvml, device, gpu);
  return gpu;
}

}  // namespace

void ProbeNvml(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("dlopen of libnvidia-ml.so.1");
  proto::MachineFacts facts;
  Nvml nvml = OpenLibrary("libnvidia-ml.so.1", *facts.mutable_nvml()->mutable_library());
  answer.Send(facts);
  if (nvml == nullptr) {
    return;
  }
  answer.Begin("nvmlInit_v2");
  facts.Clear();
  facts.mutable_nvml()->set_init_code(CallCode<int()>(nvml, "nvmlInit_v2"));
  Text version = {};
  Call<int(char*, unsigned)>(nvml, "nvmlSystemGetDriverVersion", version.data(), 80u);
  facts.mutable_nvml()->set_driver_version(version.data());
  answer.Send(facts);
  unsigned count = 0;
  Call<int(unsigned*)>(nvml, "nvmlDeviceGetCount_v2", &count);
  std::vector<std::string> uuids;
  for (unsigned i = 0; i < count; ++i) {
    answer.Begin(absl::StrCat("reading GPU ", i));
    facts.Clear();
    GpuHandle device = nullptr;
    Call<int(unsigned, GpuHandle*)>(nvml, "nvmlDeviceGetHandleByIndex_v2", i, &device);
    *facts.mutable_nvml()->add_gpu() = device == nullptr ? proto::NvmlGpu() : ReadGpu(nvml, device);
    uuids.push_back(facts.nvml().gpu(0).uuid());
    answer.Send(facts);
  }
  answer.Begin("reading NVLink");
  facts.Clear();
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned j = i + 1; j < count; ++j) {
      proto::NvLinks& links = *facts.mutable_nvml()->add_links();
      links.set_first(i);
      links.set_second(j);
      links.set_lanes(LinkTopology(uuids[i], uuids[j]));
    }
  }
  answer.Send(facts);
}

}  // namespace lockstep
