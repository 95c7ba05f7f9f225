// Sums over the ranks from within a forward or backward pass. The sums are counted and timed, and cannot return an
// error.
//
// Autograd calls operators, and an operator returns tensors. So the first failure is kept, and the caller that runs the
// step must check it. After a failure nothing is sent, so that one lost rank costs one timeout, not one for each sum.
#ifndef LOCKSTEP_LIB_REDUCER_COUNTED_SUMS_H_
#define LOCKSTEP_LIB_REDUCER_COUNTED_SUMS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/timestamp.h"

namespace lockstep {

// Traffic of this rank since the last call of TakeTraffic.
struct Traffic {
  uint64_t calls = 0;
  uint64_t bytes = 0;       // bytes handed to the communicator: the tensors' sizes, not what an algorithm sends
  double busy_seconds = 0;  // total time from begin to end (Collective); includes the wait for slower ranks
};

// Not thread-safe: forward and backward run one after the other. Reference-counted, since autograd's graph keeps it.
class CountedSums : public torch::CustomClassHolder {
 public:
  // `communicator` must outlive the object. If `send` is false or there is only one rank, the object acts as rank 0 of
  // 1 and sends nothing.
  CountedSums(Communicator& communicator, bool send);

  int rank() const { return alone_ ? 0 : communicator_.rank(); }
  int size() const { return alone_ ? 1 : communicator_.size(); }

  // Replaces `flat` (contiguous fp32) by its sum over the ranks. Later work on the current stream sees the sum. After a
  // failure `flat` is unchanged.
  void Sum(const at::Tensor& flat);

  // Returns the first failure of the communicator; OK if there was none.
  const absl::Status& status() const { return status_; }

  // Returns the traffic and resets it. Waits for the device unless it is a CPU.
  Traffic TakeTraffic();

 private:
  struct Interval {
    Timestamp begin, end;
  };
  absl::Status Send(const at::Tensor& flat);

  Communicator& communicator_;
  const bool alone_;
  absl::Status status_;
  uint64_t bytes_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_COUNTED_SUMS_H_
