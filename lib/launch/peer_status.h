// What went wrong while a rank talked to the others.
#ifndef LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_
#define LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `body`; what it throws becomes ResourceExhausted when memory ran out, as in lib/device/torch_status.h, and
// Unavailable otherwise: the store's, Gloo's and the sockets' exceptions all mean that another rank is gone or silent.
absl::Status CatchPeerErrors(absl::string_view doing, const std::function<void()>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_
