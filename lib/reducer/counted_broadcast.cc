#include "lib/reducer/counted_broadcast.h"

#include "lib/base/status_macros.h"
#include "lib/communicator/broadcast_tensors.h"

namespace lockstep {

CountedBroadcast::CountedBroadcast(Communicator& communicator, std::vector<at::Tensor> tensors)
    : communicator_(communicator), tensors_(std::move(tensors)) {}

absl::Status CountedBroadcast::Send() {
  if (tensors_.empty() || communicator_.size() == 1) {
    return absl::OkStatus();
  }
  const c10::Device device = tensors_.front().device();
  const Timestamp begin = Timestamp::Here(device);
  RETURN_IF_ERROR(BroadcastTensors(communicator_, tensors_, 0));
  intervals_.emplace_back(begin, Timestamp::Here(device));
  for (const at::Tensor& tensor : tensors_) {
    bytes_ += tensor.nbytes();
  }
  return absl::OkStatus();
}

Traffic CountedBroadcast::TakeTraffic() {
  Traffic traffic;
  traffic.calls = intervals_.size();
  traffic.bytes = std::exchange(bytes_, 0);
  for (const auto& [begin, end] : intervals_) {
    traffic.busy_seconds += end.SecondsSince(begin);
  }
  intervals_.clear();
  return traffic;
}

}  // namespace lockstep
