// PartRooms: two alternating buffers for the split-K partials of weight gradients (weight_gradient.h). While the
// partials in one buffer are added up, the next gradient fills the other.
#ifndef LOCKSTEP_LIB_FUSED_PART_ROOMS_H_
#define LOCKSTEP_LIB_FUSED_PART_ROOMS_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "lib/cuda/device_buffer.h"

namespace lockstep {

class PartRooms {
 public:
  static constexpr size_t kCount = 2;

  struct Room {
    DeviceBuffer parts;
    cudaEvent_t read = nullptr;  // event after their sum; null: nothing reads them
  };

  // Grows both buffers to `bytes`, which drops their contents. Waits for the GPU. Returns ResourceExhaustedError if
  // there is no memory.
  absl::Status MakeRoom(size_t bytes);

  // Forgets the events, for a new micro-batch. Its work must be ordered after all work of the previous micro-batch.
  void Reset();

  // Returns the buffer that was used least recently.
  Room& Next() { return rooms_[turn_++ % kCount]; }

  size_t bytes() const { return kCount * room_bytes_; }

 private:
  std::array<Room, kCount> rooms_;
  size_t room_bytes_ = 0;
  size_t turn_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_PART_ROOMS_H_
