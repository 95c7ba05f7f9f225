// Memory that the ranks of one host share: a memfd (memfd_create(2)) of rank 0, mapped by all ranks. It has no name in
// any file system, so it disappears when the last rank has ended, in whatever way. The limit of /dev/shm does not
// apply.
//
// The ranks prove that they share the memory: each writes random bytes that it has announced into its own slot, and
// checks those of all others.
#ifndef LOCKSTEP_LIB_PEER_SHARED_MEMORY_H_
#define LOCKSTEP_LIB_PEER_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

struct SharedMemoryOptions {
  int rank = 0;
  int size = 1;                                  // number of ranks
  size_t bytes = 0;                              // size of the memory, at least 1; must be the same on all ranks
  absl::Duration timeout = absl::Seconds(60);    // limit of the wait for rank 0's descriptor
  GatherBytes gather;                            // exchange of bytes between the ranks; called up to four times
  std::function<void(uint8_t* memory)> prepare;  // initialization by this rank before any rank continues; may be null
};

class SharedMemory {
 public:
  // Opens the memory. All ranks must call this function together, and either all get the memory or all get an error.
  // Returns FailedPreconditionError, with the same reason in one line on all ranks, if the ranks cannot share memory;
  // they may continue without it. Any other error is that of `gather`.
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Open(const SharedMemoryOptions& options);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Returns the memory: zeros at first, aligned to a page. Any rank may write to any part at any time, so its contents
  // must not be trusted.
  uint8_t* data() const;

 private:
  SharedMemory(uint8_t* mapped, size_t mapped_bytes, size_t head_bytes);
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Map(const SharedMemoryOptions& options, int fd);

  uint8_t* const mapped_;
  const size_t mapped_bytes_;
  const size_t head_bytes_;  // bytes of the ranks' proofs, before the data
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_SHARED_MEMORY_H_
