// The leader's wait for the agents of its world.
#ifndef LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
#define LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/launch/member.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {

// Fills `members` (members[r] is rank r), whose first is the leader itself, from those that connect to `listener`. A
// connection that says nothing of this run is left alone. After an error `members` holds those that came.
//
// Unavailable: a rank did not come within the timeout, or differs from the leader (agreement.h). InvalidArgument: two say that they are one
// rank, or have one LOCAL_RANK on one host, or one has another number of ranks. Cancelled: a stop signal.
absl::Status GatherMembers(const TcpSocket& listener, absl::Duration timeout, std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
