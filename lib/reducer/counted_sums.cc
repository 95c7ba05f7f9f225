#include "lib/reducer/counted_sums.h"

#include <memory>

#include "lib/base/status_macros.h"

namespace lockstep {

CountedSums::CountedSums(Communicator& communicator, bool send)
    : communicator_(communicator), alone_(!send || communicator.size() == 1) {}

void CountedSums::Sum(const at::Tensor& flat) {
  if (!alone_ && status_.ok()) {
    status_ = Send(flat);
  }
}

absl::Status CountedSums::Send(const at::Tensor& flat) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator_.AllReduceSum(flat));
  RETURN_IF_ERROR(collective->Wait());
  bytes_ += flat.nbytes();
  intervals_.push_back({collective->begin(), collective->end()});
  return absl::OkStatus();
}

Traffic CountedSums::TakeTraffic() {
  Traffic traffic;
  traffic.calls = intervals_.size();
  traffic.bytes = bytes_;
  for (const Interval& interval : intervals_) {
    traffic.busy_seconds += interval.end.SecondsSince(interval.begin);
  }
  bytes_ = 0;
  intervals_.clear();
  return traffic;
}

}  // namespace lockstep
