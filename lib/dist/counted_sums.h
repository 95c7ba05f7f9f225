// Sums over the ranks from within a forward and a backward pass: counted, timed, and without a way to return an error.
//
// Autograd calls operators, and an operator returns tensors. So the first failure is kept, and whoever runs the step asks
// for it; after it nothing is sent, so that one lost rank costs one timeout and not one for each sum.
#ifndef LOCKSTEP_LIB_DIST_COUNTED_SUMS_H_
#define LOCKSTEP_LIB_DIST_COUNTED_SUMS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator.h"
#include "lib/dist/time_mark.h"

namespace lockstep {

// What was sent since the last call of TakeTraffic, on this rank.
struct Traffic {
  uint64_t calls = 0;
  uint64_t bytes = 0;       // handed to the communicator: the tensors' sizes, not what an algorithm makes of them
  double busy_seconds = 0;  // from begin to end (Collective), added up; includes the wait for slower ranks
};

// Not thread-safe: forward and backward come one after the other. Counted by reference, since autograd's graph keeps it.
class CountedSums : public torch::CustomClassHolder {
 public:
  // `communicator` outlives it. With `send` false, or one rank, it is alone: rank 0 of 1, and nothing is sent.
  CountedSums(Communicator& communicator, bool send);

  int rank() const { return alone_ ? 0 : communicator_.rank(); }
  int size() const { return alone_ ? 1 : communicator_.size(); }

  // Replaces `flat` (contiguous fp32) by its sum over the ranks. For what follows on the current stream it is there when
  // this returns. After a failure it stays as it is.
  void Sum(const at::Tensor& flat);

  // The first failure: the communicator's. OK when there was none.
  const absl::Status& status() const { return status_; }

  // Waits for the device when it is not a CPU.
  Traffic TakeTraffic();

 private:
  struct Marks {
    TimeMark begin, end;
  };
  absl::Status Send(const at::Tensor& flat);

  Communicator& communicator_;
  const bool alone_;
  absl::Status status_;
  uint64_t bytes_ = 0;
  std::vector<Marks> marks_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COUNTED_SUMS_H_
