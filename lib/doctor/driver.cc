#include "lib/doctor/driver.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/device/driver_call.h"
#include "lib/device/nvidia_driver.h"
#include "lib/doctor/open_library.h"

namespace lockstep {
namespace {

struct CudaError {
  int code;
  const char* name;
  const char* remedy;
};

// Codes of cuda.h (CUresult) that cuInit and the first calls return.
constexpr CudaError kCudaErrors[] = {
    {3, "CUDA_ERROR_NOT_INITIALIZED", "restart the machine"},
    {34, "CUDA_ERROR_STUB_LIBRARY",
     "remove the toolkit's folder `stubs` from LD_LIBRARY_PATH: it hides the driver's library"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "install a newer driver"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "end the process with exclusive use of the GPU, or nvidia-smi --compute-mode=0"},
    {100, "CUDA_ERROR_NO_DEVICE", "check CUDA_VISIBLE_DEVICES; start a container with --gpus=all"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "check CUDA_VISIBLE_DEVICES: it names a GPU or MIG slice that does not exist"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "check the permissions of /dev/nvidia*, and dmesg"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "start the Fabric Manager: systemctl start nvidia-fabricmanager"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "restart the machine: the kernel module and libcuda.so.1 are from different drivers"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "remove the folder of cuda-compat from LD_LIBRARY_PATH: this GPU needs the driver's own libcuda.so.1"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED",
     "start nvidia-cuda-mps-control -d as this user, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", "restart MPS: echo quit | nvidia-cuda-mps-control"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "wait until the MPS server is ready, or restart it"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "end other clients of MPS"},
    {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "end other clients of MPS"},
    {999, "CUDA_ERROR_UNKNOWN", "load the kernel module nvidia-uvm (nvidia-modprobe -u), or restart the machine"},
};

const CudaError* FindCudaError(int code) {
  for (const CudaError& error : kCudaErrors) {
    if (error.code == code) {
      return &error;
    }
  }
  return nullptr;
}

void SendGpus(void* library, uint32_t count, ProbeAnswer& answer) {
  for (uint32_t i = 0; i < count; ++i) {
    answer.Begin(absl::StrCat("reading GPU ", i));
    proto::MachineFacts facts;
    proto::CudaGpu& gpu = *facts.mutable_cuda()->add_gpu();
    if (const auto read = ReadGpuFacts(static_cast<int>(i)); read.ok()) {
      gpu.set_name(read->name);
      gpu.set_uuid(read->uuid);
      gpu.set_memory_bytes(static_cast<double>(read->memory_bytes));
      gpu.set_compute_capability(read->compute_capability);
    }
    answer.Send(facts);
  }
  answer.Begin("cuDeviceCanAccessPeer");
  proto::MachineFacts facts;
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t j = i + 1; j < count; ++j) {
      int there = 0, back = 0;
      Call<int(int*, int, int)>(library, "cuDeviceCanAccessPeer", &there, static_cast<int>(i), static_cast<int>(j));
      Call<int(int*, int, int)>(library, "cuDeviceCanAccessPeer", &back, static_cast<int>(j), static_cast<int>(i));
      proto::PeerAccess& peer = *facts.mutable_cuda()->add_peer();
      peer.set_first(i);
      peer.set_second(j);
      peer.set_both_ways(there != 0 && back != 0);
    }
  }
  answer.Send(facts);
}

// Finds the cause of a missing answer from libcuda.so.1.
void JudgeMissingDriver(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const bool gpu_there = facts.host().nvidia_gpus_on_pci() > 0 || facts.host().nvidia_device_files() > 0;
  const std::string& error = facts.cuda().library().error();
  if (!error.empty() && error.find("libcuda.so.1: cannot open shared object file") == std::string::npos) {
    AddFinding(findings, "driver", proto::DoctorFinding::BROKEN, absl::StrCat("libcuda.so.1 does not load: ", error),
               LoaderRemedy(error, "the driver"), NeedsGpu(request));
  } else if (gpu_there) {
    AddFinding(findings, "driver", proto::DoctorFinding::BROKEN, "NVIDIA GPU found, but no libcuda.so.1",
               "install NVIDIA's driver; start a container with --gpus=all (NVIDIA container toolkit)",
               NeedsGpu(request));
  } else {
    AddFinding(findings, "driver", proto::DoctorFinding::ABSENT, "no NVIDIA GPU and no driver; the tools use the CPU",
               request.device == "cuda" ? "use --device=cpu, or a machine with an NVIDIA GPU" : "", NeedsGpu(request));
  }
}

// Compares the CUDA that LibTorch was built with to the newest CUDA that the driver runs.
void JudgeCudaVersion(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const uint32_t wanted = facts.libtorch().cuda_version();
  const uint32_t runs = facts.cuda().cuda_version();
  if (wanted == 0) {
    return;
  }
  const std::string pair = absl::StrCat("LibTorch is built with CUDA ", ShowCudaVersion(wanted),
                                        ", the driver supports up to ", ShowCudaVersion(runs));
  if (runs / 1000 >= wanted / 1000) {
    AddFinding(findings, "cuda", proto::DoctorFinding::OK, pair);
    return;
  }
  const std::string oldest = OldestDriver(wanted);
  AddFinding(findings, "cuda", proto::DoctorFinding::BROKEN, pair,
             absl::StrCat("install ", oldest.empty() ? "a newer driver" : absl::StrCat("driver ", oldest, " or newer"),
                          ", or build the tools with a toolkit and a LibTorch for CUDA ", runs / 1000),
             NeedsGpu(request));
}

// Returns the version according to NVML, else according to the kernel module.
std::string DriverVersionOf(const proto::MachineFacts& facts) {
  const std::string& version = facts.nvml().driver_version();
  return version.empty() ? KernelModuleVersion(facts.host().kernel_module()) : version;
}

}  // namespace

void ProbeCuda(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("dlopen of libcuda.so.1");
  proto::MachineFacts facts;
  proto::CudaFacts& cuda = *facts.mutable_cuda();
  void* library = OpenLibrary("libcuda.so.1", *cuda.mutable_library());
  answer.Send(facts);
  if (library == nullptr) {
    return;
  }
  answer.Begin("cuInit");
  const int code = CallCode<int(unsigned)>(library, "cuInit", 0u);
  int version = 0, count = 0;
  Call<int(int*)>(library, "cuDriverGetVersion", &version);
  cuda.Clear();
  cuda.set_init_code(code);
  cuda.set_cuda_version(static_cast<uint32_t>(version));
  answer.Send(facts);
  if (code == 0 && Call<int(int*)>(library, "cuDeviceGetCount", &count) && count > 0) {
    SendGpus(library, static_cast<uint32_t>(count), answer);
  }
}

void JudgeDriver(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const proto::CudaFacts& cuda = facts.cuda();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "cuda")) {
    AddFinding(findings, "driver", proto::DoctorFinding::BROKEN, absl::StrCat("libcuda.so.1 ", DescribeEnd(*end)),
               "search dmesg for NVRM and Xid; restart the machine or the container", NeedsGpu(request));
    return;
  }
  if (cuda.library().path().empty()) {
    JudgeMissingDriver(facts, request, findings);
    return;
  }
  const std::string version = DriverVersionOf(facts);
  const std::string driver =
      absl::StrCat(version, version.empty() ? "" : " ", "(CUDA ", ShowCudaVersion(cuda.cuda_version()), ")");
  if (cuda.init_code() != 0) {
    AddFinding(findings, "driver", proto::DoctorFinding::BROKEN,
               absl::StrCat(driver, " fails with ", CudaErrorName(cuda.init_code()), ", from ", cuda.library().path()),
               CudaErrorRemedy(cuda.init_code()), NeedsGpu(request));
    return;
  }
  AddFinding(findings, "driver", proto::DoctorFinding::OK, driver);
  JudgeCudaVersion(facts, request, findings);
}

std::string CudaErrorName(int code) {
  const CudaError* error = FindCudaError(code);
  return error == nullptr ? absl::StrCat("CUDA error ", code) : absl::StrCat(error->name, " (", code, ")");
}

std::string CudaErrorRemedy(int code) {
  const CudaError* error = FindCudaError(code);
  return error == nullptr ? "look at dmesg for NVRM and Xid; restart the machine" : error->remedy;
}

std::string KernelModuleVersion(absl::string_view line) {
  for (const absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    if (absl::ascii_isdigit(word[0]) && absl::StrContains(word, '.')) {
      return std::string(word);
    }
  }
  return "";
}

std::string OldestDriver(uint32_t cuda_version) {
  switch (cuda_version / 1000) {
    case 11:
      return "450";
    case 12:
      return "525";
    case 13:
      return "580";
    default:
      return "";
  }
}

}  // namespace lockstep
