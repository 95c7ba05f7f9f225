// Where weight gradients leave their parts (weight_gradient.h): in two rooms in turn. While the parts in one are added up,
// the next gradient fills the other.
#ifndef LOCKSTEP_LIB_FUSED_PART_ROOMS_H_
#define LOCKSTEP_LIB_FUSED_PART_ROOMS_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

class PartRooms {
 public:
  static constexpr size_t kCount = 2;

  struct Room {
    DeviceBuffer parts;
    cudaEvent_t read = nullptr;  // behind the sum over them; null: nobody reads them
  };

  // Makes room for `bytes` in each; what they had is gone. Waits for the GPU. ResourceExhausted: there is no memory.
  absl::Status MakeRoom(size_t bytes);

  // From here on the marks are used again: a new micro-batch, which comes after all of the one before.
  void Reset();

  // The room that was left first.
  Room& Next() { return rooms_[turn_++ % kCount]; }

  size_t bytes() const { return kCount * room_bytes_; }

 private:
  std::array<Room, kCount> rooms_;
  size_t room_bytes_ = 0;
  size_t turn_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_PART_ROOMS_H_
