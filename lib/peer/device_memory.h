// GPU memory that all ranks of a host can read and write: each rank allocates a piece of the same size on its GPU, and
// all pieces are mapped in all ranks (CUDA driver API, "Virtual Memory Management").
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

// A piece exists until the last rank that maps it has ended, so ranks may end in any order. No name remains in the
// system.
class PeerDeviceMemory {
 public:
  // Allocates and maps all pieces. All ranks must call this function at the same time, each with its GPU as the current
  // device, and with the same `bytes`. The memory is zero before another rank can access it. All ranks have the same
  // result. Returns ResourceExhaustedError if a GPU has too little memory, and FailedPreconditionError if the ranks are
  // not on one host, a GPU cannot access another's memory, or the driver or the host cannot share it. Other errors are
  // those of ExchangeDescriptors.
  static absl::StatusOr<std::unique_ptr<PeerDeviceMemory>> Make(const GatherBytes& gather, int rank, int size,
                                                                size_t bytes, absl::Duration timeout);
  ~PeerDeviceMemory();
  PeerDeviceMemory(const PeerDeviceMemory&) = delete;
  PeerDeviceMemory& operator=(const PeerDeviceMemory&) = delete;

  // Returns the piece of a rank, as mapped in this process.
  uint8_t* of(int rank) const { return pieces_[rank]; }

 private:
  struct Piece;
  PeerDeviceMemory(int size, size_t bytes);

  const size_t bytes_;             // size of a piece, in whole pages
  std::vector<uint8_t*> pieces_;   // address of each rank's piece; null: not mapped
  std::vector<uint64_t> handles_;  // CUmemGenericAllocationHandle of each piece; 0: no handle
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_MEMORY_H_
