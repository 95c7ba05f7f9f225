// A connection whose two ends have proven to each other that they know one secret (handshake.h).
#ifndef LOCKSTEP_LIB_LAUNCH_SECURE_SOCKET_H_
#define LOCKSTEP_LIB_LAUNCH_SECURE_SOCKET_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/handshake.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

// Time that the other end may take for its part of a handshake.
inline constexpr absl::Duration kHandshakePatience = absl::Seconds(5);

struct SecureSocket {
  TcpSocket socket;
  SessionKeys keys;
};

// Connects to a listener that knows `secret`, and tries again while nobody listens, or who listens does not answer. Any
// thread.
//
// Returns UnavailableError if nobody answered by `deadline`, or, at once, if what listens there cannot prove that it knows
// the secret. CancelledError after a stop signal.
absl::StatusOr<SecureSocket> ConnectSecurely(const std::string& host, uint16_t port, const RunSecret& secret,
                                             MonotonicTime deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_SECURE_SOCKET_H_
