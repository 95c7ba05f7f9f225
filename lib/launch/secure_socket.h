// Connection whose two ends have proven to each other that they know the same secret (handshake.h).
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

// Time that the other end may take for its part of the handshake.
inline constexpr absl::Duration kHandshakeTimeout = absl::Seconds(5);

struct SecureSocket {
  TcpSocket socket;
  SessionKeys keys;
};

// Connects to a listener that knows `secret`. Retries while nobody listens or the listener does not respond.
// Thread-safe.
//
// Returns UnavailableError if there was no response by `deadline`, or at once if the listener cannot prove that it
// knows the secret. Returns CancelledError after a stop signal.
absl::StatusOr<SecureSocket> ConnectSecurely(const std::string& host, uint16_t port, const RunSecret& secret,
                                             MonotonicTime deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_SECURE_SOCKET_H_
