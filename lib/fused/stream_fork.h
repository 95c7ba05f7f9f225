// StreamFork: events through which two streams wait for each other. The waits can be captured in a CUDA graph, where
// they become edges.
#ifndef LOCKSTEP_LIB_FUSED_STREAM_FORK_H_
#define LOCKSTEP_LIB_FUSED_STREAM_FORK_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

class StreamFork {
 public:
  StreamFork() = default;
  ~StreamFork();
  StreamFork(const StreamFork&) = delete;
  StreamFork& operator=(const StreamFork&) = delete;

  absl::Status Init();  // creates the events

  // Makes all events available again, for a new step.
  void Reset() { used_ = 0; }

  // Returns an event after the work queued on `stream` so far. Valid until Reset.
  absl::StatusOr<cudaEvent_t> Record(cudaStream_t stream);

  // Makes the work queued on `stream` from now on wait for `event`. Does nothing if `event` is null.
  absl::Status Wait(cudaStream_t stream, cudaEvent_t event);

  // Makes the work queued on `follower` from now on wait for all work queued on `leader` so far. Does nothing if they
  // are the same stream.
  absl::Status Follow(cudaStream_t leader, cudaStream_t follower);

 private:
  std::vector<cudaEvent_t> events_;
  size_t used_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STREAM_FORK_H_
