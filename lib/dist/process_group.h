// Our communicator as LibTorch's process group, so that LibTorch's own reducer can speak over it: its all-reduce and its
// broadcast become ours, and nothing else is offered.
#ifndef LOCKSTEP_LIB_DIST_PROCESS_GROUP_H_
#define LOCKSTEP_LIB_DIST_PROCESS_GROUP_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator.h"
#include "lib/dist/time_mark.h"

namespace c10d {
class ProcessGroup;
}

namespace lockstep {

// One all-reduce that went through the group.
struct GroupSum {
  TimeMark ready;  // it was asked for: its input is there
  uint64_t bytes = 0;
  std::shared_ptr<Collective> collective;  // null where nothing is sent
};

// A failure is kept, and what was asked for is called done all the same: LibTorch's reducer waits inside of backward, and an
// exception there would look like a fault of this rank. Whoever runs the step asks status() behind backward.
class CommunicatorProcessGroup {
 public:
  // For tensors on `device`. `communicator` outlives it. With `send` false the sums are left out.
  CommunicatorProcessGroup(Communicator& communicator, c10::Device device, bool send);
  ~CommunicatorProcessGroup();
  CommunicatorProcessGroup(const CommunicatorProcessGroup&) = delete;
  CommunicatorProcessGroup& operator=(const CommunicatorProcessGroup&) = delete;

  // LibTorch's view of it; counted by reference, and of use as long as this object lives.
  c10d::ProcessGroup* raw();

  // The first failure of the operations that are done: the communicator's. Unavailable from the beginning if the thread
  // that waits for sums on a CPU could not be started.
  absl::Status status() const;

  // The sums since the last call, in order. Call it when all are done.
  std::vector<GroupSum> TakeSums();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_PROCESS_GROUP_H_
