// Errors of the communication between ranks.
#ifndef LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_
#define LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Calls `body` and converts an exception to an error: ResourceExhaustedError if memory ran out, as in
// lib/device/torch_status.h, otherwise UnavailableError, because the exceptions of the store, of Gloo and of sockets
// all mean that another rank is gone or silent.
absl::Status CatchPeerErrors(absl::string_view doing, const std::function<void()>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PEER_STATUS_H_
