#include "lib/int8_cuda/gpu_isa.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/kernel_code.h"

namespace lockstep {
namespace {

constexpr GpuIsa kGpuIsas[] = {GpuIsa::kDp4a, GpuIsa::kMma, GpuIsa::kWgmma};
constexpr uint32_t kFirstWithMma = 80;

// Returns true if the program has kernels with these instructions for a device that has the instructions.
bool HasCode(GpuIsa isa) {
  switch (isa) {
    case GpuIsa::kDp4a:
      return true;
    case GpuIsa::kMma:
      return KernelArchitecture() >= kFirstWithMma;
    case GpuIsa::kWgmma:
      return HasHopperKernels();
  }
  return false;
}

}  // namespace

absl::string_view GpuIsaName(GpuIsa isa) {
  switch (isa) {
    case GpuIsa::kDp4a:
      return "dp4a";
    case GpuIsa::kMma:
      return "mma";
    case GpuIsa::kWgmma:
      return "wgmma";
  }
  return "";
}

absl::StatusOr<GpuIsa> ParseGpuIsa(absl::string_view name) {
  for (const GpuIsa isa : kGpuIsas) {
    if (name == GpuIsaName(isa)) {
      return isa;
    }
  }
  const auto append_name = [](std::string* out, GpuIsa isa) { absl::StrAppend(out, GpuIsaName(isa)); };
  return absl::InvalidArgumentError(absl::StrCat("unknown instructions '", name, "' for a GPU, expected ",
                                                 absl::StrJoin(kGpuIsas, ", ", append_name)));
}

bool IsSupported(GpuIsa isa, const ComputeCapability& capability) {
  switch (isa) {
    case GpuIsa::kDp4a:
      return capability.major > 7 || (capability.major == 7 && capability.minor >= 5);
    case GpuIsa::kMma:
      return capability.major >= 8;
    case GpuIsa::kWgmma:
      return capability.major == 9 && capability.minor == 0;
  }
  return false;
}

std::vector<GpuIsa> SupportedGpuIsas(const ComputeCapability& capability) {
  std::vector<GpuIsa> supported;
  for (const GpuIsa isa : kGpuIsas) {
    if (IsSupported(isa, capability)) {
      supported.push_back(isa);
    }
  }
  return supported;
}

absl::StatusOr<ComputeCapability> CurrentComputeCapability() {
  int device = 0;
  ComputeCapability capability;
  RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "find a GPU"));
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, device),
                             "read the compute capability of the GPU"));
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, device),
                             "read the compute capability of the GPU"));
  return capability;
}

absl::StatusOr<std::vector<GpuIsa>> CurrentGpuIsas() {
  ASSIGN_OR_RETURN(const ComputeCapability capability, CurrentComputeCapability());
  std::vector<GpuIsa> isas = SupportedGpuIsas(capability);
  if (isas.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("expected a GPU of compute capability 7.5 or later, found ",
                                                      capability.major, ".", capability.minor));
  }
  RETURN_IF_ERROR(CheckKernelCode());
  isas.erase(std::remove_if(isas.begin(), isas.end(), [](GpuIsa isa) { return !HasCode(isa); }), isas.end());
  return isas;
}

absl::StatusOr<GpuIsa> BestGpuIsa() {
  ASSIGN_OR_RETURN(const std::vector<GpuIsa> isas, CurrentGpuIsas());
  return isas.back();
}

absl::Status CheckGpuIsa(GpuIsa isa) {
  ASSIGN_OR_RETURN(const std::vector<GpuIsa> isas, CurrentGpuIsas());
  if (std::find(isas.begin(), isas.end(), isa) != isas.end()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ComputeCapability capability, CurrentComputeCapability());
  const bool is_of_device = IsSupported(isa, capability);
  return absl::FailedPreconditionError(
      absl::StrCat(is_of_device ? "this program was built without code for " : "this GPU has no ", GpuIsaName(isa),
                   is_of_device ? " (third_party/cuda/README.md) of a GPU" : "; it is one", " of compute capability ",
                   capability.major, ".", capability.minor, "; the best there is: ", GpuIsaName(isas.back())));
}

}  // namespace lockstep
