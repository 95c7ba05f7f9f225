#include "lib/fused/partial_buffers.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {

absl::Status PartialBuffers::Grow(size_t bytes) {
  if (bytes <= buffer_bytes_) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "waiting for the GPU"));
  buffer_bytes_ = 0;
  for (Buffer& buffer : buffers_) {
    ASSIGN_OR_RETURN(buffer.partials, DeviceBuffer::Make(bytes));
  }
  buffer_bytes_ = bytes;
  return absl::OkStatus();
}

void PartialBuffers::Reset() {
  for (Buffer& buffer : buffers_) {
    buffer.read = nullptr;
  }
  turn_ = 0;
}

}  // namespace lockstep
