// Memory of the GPUs of a host that every rank reads and writes: each rank has a piece of the same size on its GPU, and all
// pieces are mapped in all ranks (CUDA driver API, "Virtual Memory Management").
#ifndef LOCKSTEP_LIB_PEER_DEVICE_MEMORY_H_
#define LOCKSTEP_LIB_PEER_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

// A piece lives until the last rank that maps it is gone, so ranks may end in any order. No name is left behind.
class PeerDeviceMemory {
 public:
  // All ranks call it, at once, each with its GPU as the current device and with as many bytes. The memory is zero before
  // another rank sees it. The same outcome on every rank. ResourceExhausted: a GPU has not as much. FailedPrecondition: a
  // GPU cannot reach another's memory, or the driver or the host cannot share it. Others: see ExchangeDescriptors.
  static absl::StatusOr<std::unique_ptr<PeerDeviceMemory>> Make(const GatherBytes& gather, int rank, int size,
                                                                size_t bytes, absl::Duration timeout);
  ~PeerDeviceMemory();
  PeerDeviceMemory(const PeerDeviceMemory&) = delete;
  PeerDeviceMemory& operator=(const PeerDeviceMemory&) = delete;

  // A rank's piece, as mapped here.
  uint8_t* of(int rank) const { return pieces_[rank]; }

 private:
  struct Piece;
  PeerDeviceMemory(int size, size_t bytes);

  const size_t bytes_;             // of a piece, whole pages
  std::vector<uint8_t*> pieces_;   // null: not mapped
  std::vector<uint64_t> handles_;  // CUmemGenericAllocationHandle; 0: none
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_MEMORY_H_
