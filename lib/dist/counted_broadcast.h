// Batch norm's buffers from rank 0 to all, counted apart from gradients.
#ifndef LOCKSTEP_LIB_DIST_COUNTED_BROADCAST_H_
#define LOCKSTEP_LIB_DIST_COUNTED_BROADCAST_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator.h"
#include "lib/dist/counted_sums.h"
#include "lib/dist/time_mark.h"

namespace lockstep {

// Not thread-safe.
class CountedBroadcast {
 public:
  // `tensors`: see BroadcastTensors; none, and nothing is sent or counted. `communicator` outlives it.
  CountedBroadcast(Communicator& communicator, std::vector<at::Tensor> tensors);

  // Called by all ranks. Replaces the tensors' contents by rank 0's, as BroadcastTensors does. Alone, a rank sends nothing.
  absl::Status Send();

  // Calls of Send, the tensors' bytes in them, and the seconds from their beginning to their end on the current stream,
  // packing and the wait for rank 0 included, since the last call. Waits for the device when it is not a CPU.
  Traffic TakeTraffic();

 private:
  Communicator& communicator_;
  const std::vector<at::Tensor> tensors_;
  uint64_t bytes_ = 0;
  std::vector<std::pair<TimeMark, TimeMark>> marks_;  // begin, end
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COUNTED_BROADCAST_H_
