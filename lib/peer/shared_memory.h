// Memory that the ranks of one host share: a memfd (memfd_create(2)) of rank 0, mapped by all. It has a name in no file
// system, so it is gone when the last rank is, however that ended; and it is no part of /dev/shm and its limit.
//
// Whether ranks share a host is proven, not believed: each writes random bytes that it announced into its own place of
// the memory, and each checks all the others'.
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
  int size = 1;                                  // ranks
  size_t bytes = 0;                              // of the memory, at least 1; the same on all ranks
  absl::Duration timeout = absl::Seconds(60);    // of the wait for rank 0's descriptor
  GatherBytes gather;                            // called up to four times
  std::function<void(uint8_t* memory)> prepare;  // what this rank writes before any other goes on; null: nothing
};

class SharedMemory {
 public:
  // All ranks call it together, and all get memory or none. FailedPrecondition: they cannot share memory, for a reason
  // that is one line and the same on all; they can go on by other means. Any other error is that of `gather`.
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Open(const SharedMemoryOptions& options);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Zeros at first, aligned to a page. Any rank may write any of it at any time: nothing in it is to be trusted.
  uint8_t* data() const;

 private:
  SharedMemory(uint8_t* mapped, size_t mapped_bytes, size_t head_bytes);
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Map(const SharedMemoryOptions& options, int fd);

  uint8_t* const mapped_;
  const size_t mapped_bytes_;
  const size_t head_bytes_;  // the ranks' proofs, before the data
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_SHARED_MEMORY_H_
