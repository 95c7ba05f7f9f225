// Two streams that wait for each other through events; the waits can be captured in a CUDA graph, where they become
// edges.
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

  absl::Status Init();  // takes the events

  // From here on events may be used again: a new step.
  void Reset() { used_ = 0; }

  // What is queued on `stream` so far, to be waited for. Valid until Reset.
  absl::StatusOr<cudaEvent_t> Mark(cudaStream_t stream);

  // What is queued on `stream` from here on comes after `mark`; null: after nothing more.
  absl::Status Wait(cudaStream_t stream, cudaEvent_t mark);

  // What is queued on `follower` from here on comes after all that is queued on `leader` so far. Nothing when they are
  // one.
  absl::Status Follow(cudaStream_t leader, cudaStream_t follower);

 private:
  std::vector<cudaEvent_t> events_;
  size_t used_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STREAM_FORK_H_
