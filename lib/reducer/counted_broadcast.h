// Broadcast of batch norm's buffers from rank 0, counted separately from gradients.
#ifndef LOCKSTEP_LIB_REDUCER_COUNTED_BROADCAST_H_
#define LOCKSTEP_LIB_REDUCER_COUNTED_BROADCAST_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/timestamp.h"
#include "lib/reducer/counted_sums.h"

namespace lockstep {

// Not thread-safe.
class CountedBroadcast {
 public:
  // `tensors`: see BroadcastTensors; if empty, nothing is sent or counted. `communicator` must outlive the object.
  CountedBroadcast(Communicator& communicator, std::vector<at::Tensor> tensors);

  // Replaces the tensors' contents by those of rank 0, like BroadcastTensors. All ranks must call it. A single rank
  // sends nothing.
  absl::Status Send();

  // Returns the traffic since the last call: calls of Send(), the tensors' bytes, and the seconds from begin to end on
  // the current stream, which include packing and the wait for rank 0. Waits for the device unless it is a CPU.
  Traffic TakeTraffic();

 private:
  Communicator& communicator_;
  const std::vector<at::Tensor> tensors_;
  uint64_t bytes_ = 0;
  std::vector<std::pair<Timestamp, Timestamp>> intervals_;  // begin and end of each call
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_COUNTED_BROADCAST_H_
