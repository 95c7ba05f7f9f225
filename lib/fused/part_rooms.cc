#include "lib/fused/part_rooms.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {

absl::Status PartRooms::MakeRoom(size_t bytes) {
  if (bytes <= room_bytes_) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "waiting for the GPU"));
  room_bytes_ = 0;
  for (Room& room : rooms_) {
    ASSIGN_OR_RETURN(room.parts, DeviceBuffer::Make(bytes));
  }
  room_bytes_ = bytes;
  return absl::OkStatus();
}

void PartRooms::Reset() {
  for (Room& room : rooms_) {
    room.read = nullptr;
  }
  turn_ = 0;
}

}  // namespace lockstep
