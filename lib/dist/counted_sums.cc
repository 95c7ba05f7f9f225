#include "lib/dist/counted_sums.h"

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
  marks_.push_back({collective->begin(), collective->end()});
  return absl::OkStatus();
}

Traffic CountedSums::TakeTraffic() {
  Traffic traffic;
  traffic.calls = marks_.size();
  traffic.bytes = bytes_;
  for (const Marks& marks : marks_) {
    traffic.busy_seconds += marks.end.SecondsSince(marks.begin);
  }
  bytes_ = 0;
  marks_.clear();
  return traffic;
}

}  // namespace lockstep
