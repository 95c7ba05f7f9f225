// Connection of the leader with its agents at their rendezvous (rendezvous_endpoint.h).
//
// Rank 0 listens at the rendezvous's port. If torchrun's own store listens there, rank 0 listens at a free port instead
// and publishes that port in the store, under a key that no other run uses.
#ifndef LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_H_
#define LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/rendezvous_endpoint.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

// Rendezvous on the side of rank 0.
struct OpenRendezvous {
  TcpSocket listener;  // listening socket; no descriptor in a world of one process
  RunSecret secret;    // secret that every admitted process must prove
};

// Rendezvous on the side of another rank.
struct JoinedRendezvous {
  SecureSocket leader;
  RunSecret secret;
};

// Starts listening. Must be called by rank 0. `secret` must be the result of FindSecret; `interface` is the value of
// --interface. Returns UnavailableError if the port is taken or torchrun's store does not respond within the timeout,
// and CancelledError after a stop signal.
absl::StatusOr<OpenRendezvous> StartRendezvous(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                               const std::optional<RunSecret>& secret, const std::string& interface,
                                               absl::Duration timeout);

// Connects to rank 0. Must be called by all other ranks. Returns UnavailableError if rank 0 did not listen within the
// timeout or the listening process does not know the secret, and CancelledError after a stop signal.
absl::StatusOr<JoinedRendezvous> JoinRendezvous(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                                const std::optional<RunSecret>& secret, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_H_
