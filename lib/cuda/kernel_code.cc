#include "lib/cuda/kernel_code.h"

#include <cuda_runtime.h>

#include "absl/strings/str_cat.h"
#include "lib/cuda/code_probe.h"

namespace lockstep {
namespace {

// Returns the architecture of a kernel's code, or 0 if there is no such code.
uint32_t ArchitectureOf(cudaError_t (*find)(cudaFuncAttributes*)) {
  cudaFuncAttributes attributes = {};
  if (find(&attributes) != cudaSuccess) {
    (void)cudaGetLastError();  // expected error; clears it for later calls
    return 0;
  }
  return static_cast<uint32_t>(attributes.ptxVersion);
}

}  // namespace

uint32_t KernelArchitecture() { return ArchitectureOf(FindAnyCode); }

bool HasHopperKernels() { return ArchitectureOf(FindHopperCode) != 0; }

absl::Status CheckKernelCode() {
  int device = 0, major = 0, minor = 0;
  const bool is_there = cudaGetDevice(&device) == cudaSuccess &&
                        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
                        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
  if (!is_there) {
    (void)cudaGetLastError();
    return absl::OkStatus();
  }
  return KernelArchitecture() != 0 ? absl::OkStatus()
                                   : absl::UnavailableError(absl::StrCat(
                                         "this program has no code for a GPU of compute capability ", major, ".", minor,
                                         ": expected 7.5 or later of a build with --config=portable, "
                                         "or build on this machine"));
}

}  // namespace lockstep
