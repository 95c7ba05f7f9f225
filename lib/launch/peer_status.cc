#include "lib/launch/peer_status.h"

#include "lib/device/torch_status.h"

namespace lockstep {

absl::Status CatchPeerErrors(absl::string_view doing, const std::function<void()>& body) {
  const absl::Status status = CatchTorchErrors(doing, [&] {
    body();
    return absl::OkStatus();
  });
  return absl::IsInternal(status) ? absl::UnavailableError(status.message()) : status;
}

}  // namespace lockstep
