// Adapter from our communicator to LibTorch's process group, so that LibTorch's own reducer can use it. Supports
// all-reduce and broadcast only.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_PROCESS_GROUP_H_
#define LOCKSTEP_LIB_COMMUNICATOR_PROCESS_GROUP_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/timestamp.h"

namespace c10d {
class ProcessGroup;
}

namespace lockstep {

// One all-reduce of the group.
struct GroupSum {
  Timestamp ready;  // time of the request, at which its input is ready
  uint64_t bytes = 0;
  std::shared_ptr<Collective> collective;  // null if nothing is sent
};

// A failure is kept, and the failed operation is reported as done: LibTorch's reducer waits within backward, where an
// exception would look like a fault of this rank. The caller that runs the step must check status() after backward.
class CommunicatorProcessGroup {
 public:
  // Handles tensors on `device`. `communicator` must outlive the object. If `send` is false, the sums are skipped.
  CommunicatorProcessGroup(Communicator& communicator, c10::Device device, bool send);
  ~CommunicatorProcessGroup();
  CommunicatorProcessGroup(const CommunicatorProcessGroup&) = delete;
  CommunicatorProcessGroup& operator=(const CommunicatorProcessGroup&) = delete;

  // Returns LibTorch's view of the group; reference-counted, and valid as long as this object lives.
  c10d::ProcessGroup* raw();

  // Returns the first failure of the completed operations. Unavailable from the beginning if the thread that waits for
  // sums on a CPU could not be started. Other errors are those of the communicator.
  absl::Status status() const;

  // Returns the sums since the last call, in order. Must be called when all sums are done.
  std::vector<GroupSum> TakeSums();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_PROCESS_GROUP_H_
