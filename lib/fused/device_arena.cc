#include "lib/fused/device_arena.h"

#include <cuda_runtime.h>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {

DeviceArena::~DeviceArena() { cudaFree(base_); }

absl::Status DeviceArena::Allocate() {
  RETURN_IF_ERROR(CudaStatus(cudaMalloc(reinterpret_cast<void**>(&base_), bytes_),
                             absl::StrCat("allocating ", bytes_, " bytes on the GPU")));
  RETURN_IF_ERROR(CudaStatus(cudaMemset(base_, 0, bytes_), "clearing the GPU's memory"));
  for (const auto& assign : assign_) {
    assign(base_);
  }
  assign_.clear();
  return absl::OkStatus();
}

}  // namespace lockstep
