// How the leader and its agents come together at their meeting point (meeting_point.h).
//
// Rank 0 listens at the point's port. Where torchrun's own store listens there, rank 0 listens at a free port instead and
// says in that store at which, under a name that no other run has.
#ifndef LOCKSTEP_LIB_LAUNCH_MEETING_H_
#define LOCKSTEP_LIB_LAUNCH_MEETING_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/meeting_point.h"
#include "lib/launch/store.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

// For rank 0. `run` is LaunchPlace::run. Unavailable: the port is taken, or torchrun's store does not answer.
absl::StatusOr<TcpSocket> OpenMeeting(const MeetingPoint& point, const std::string& run, absl::Duration timeout);

// For the others: a connection to rank 0. Unavailable: it did not come within the timeout. Cancelled: a stop signal.
absl::StatusOr<TcpSocket> JoinMeeting(const MeetingPoint& point, const std::string& run, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MEETING_H_
