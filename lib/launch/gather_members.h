// Wait of the leader for the agents of its world.
#ifndef LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
#define LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/launch/admission.h"
#include "lib/launch/member.h"

namespace lockstep {

// Fills `members` with the processes that `admission` admits; members[r] is rank r. members[0] must already be the
// leader itself. Strangers receive no message; if a rank is missing, the error contains the number of refused
// connections. After an error, `members` holds the members that have connected.
//
// Returns these errors:
//   - UnavailableError if a rank did not connect within the timeout, differs from the leader (agreement.h) or sent a
//     message that no process of a run sends, or if no descriptor is left for a connection;
//   - InvalidArgumentError if two processes have the same rank, or the same LOCAL_RANK on one host, or if a process has
//     another number of ranks;
//   - CancelledError after a stop signal.
absl::Status GatherMembers(Admission& admission, absl::Duration timeout, std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
