// How the leader and its agents come together at their meeting point (meeting_point.h).
//
// Rank 0 listens at the point's port. Where torchrun's own store listens there, rank 0 listens at a free port instead and
// says in that store at which, under a name that no other run has.
#ifndef LOCKSTEP_LIB_LAUNCH_MEETING_H_
#define LOCKSTEP_LIB_LAUNCH_MEETING_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/meeting_point.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

// Rank 0's side.
struct OpenMeeting {
  TcpSocket listener;  // no descriptor in a world of one process
  RunSecret secret;    // proven by every process that is let in
};

// The side of another rank.
struct JoinedMeeting {
  SecureSocket leader;
  RunSecret secret;
};

// For rank 0. `secret` is what FindSecret returned; `interface` is --interface. Returns UnavailableError if the port is
// taken, or torchrun's store does not answer within the timeout; CancelledError after a stop signal.
absl::StatusOr<OpenMeeting> StartMeeting(const LaunchPlace& place, const MeetingPoint& point,
                                         const std::optional<RunSecret>& secret, const std::string& interface,
                                         absl::Duration timeout);

// For the others: connects to rank 0. Returns UnavailableError if it did not come within the timeout, or who listens there
// does not know the secret; CancelledError after a stop signal.
absl::StatusOr<JoinedMeeting> JoinMeeting(const LaunchPlace& place, const MeetingPoint& point,
                                          const std::optional<RunSecret>& secret, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MEETING_H_
