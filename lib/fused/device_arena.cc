#include "lib/fused/device_arena.h"

#include <cuda_runtime.h>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {

absl::Status DeviceArena::Allocate() {
  ASSIGN_OR_RETURN(memory_, DeviceBuffer::Make(bytes_));
  RETURN_IF_ERROR(CudaStatus(cudaMemset(memory_.data(), 0, bytes_), "clearing the GPU's memory"));
  for (const auto& assign : assign_) {
    assign(static_cast<char*>(memory_.data()));
  }
  assign_.clear();
  return absl::OkStatus();
}

}  // namespace lockstep
