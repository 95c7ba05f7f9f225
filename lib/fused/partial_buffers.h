// PartialBuffers: two alternating buffers for the split-K partials of weight gradients (weight_gradient.h). While the
// partials in one buffer are added up, the next gradient fills the other.
#ifndef LOCKSTEP_LIB_FUSED_PARTIAL_BUFFERS_H_
#define LOCKSTEP_LIB_FUSED_PARTIAL_BUFFERS_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "lib/cuda/device_buffer.h"

namespace lockstep {

class PartialBuffers {
 public:
  static constexpr size_t kCount = 2;

  struct Buffer {
    DeviceBuffer partials;
    cudaEvent_t read = nullptr;  // event after their sum; null: nothing reads them
  };

  // Grows both buffers to `bytes`, which drops their contents. Waits for the GPU. Returns ResourceExhaustedError if
  // there is no memory.
  absl::Status Grow(size_t bytes);

  // Forgets the events, for a new micro-batch. Its work must be ordered after all work of the previous micro-batch.
  void Reset();

  // Returns the buffer that was used least recently.
  Buffer& Next() { return buffers_[turn_++ % kCount]; }

  size_t bytes() const { return kCount * buffer_bytes_; }

 private:
  std::array<Buffer, kCount> buffers_;
  size_t buffer_bytes_ = 0;
  size_t turn_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_PARTIAL_BUFFERS_H_
