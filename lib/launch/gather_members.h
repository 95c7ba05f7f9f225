// The leader's wait for the agents of its world.
#ifndef LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
#define LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/launch/admission.h"
#include "lib/launch/member.h"

namespace lockstep {

// Fills `members` (members[r] is rank r), whose first is the leader itself, from those that `door` lets in. Strangers are
// told nothing, and their number is part of the error if a rank does not come. After an error `members` holds those that
// came.
//
// Unavailable: a rank did not come within the timeout, differs from the leader (agreement.h), or said what no process of
// a run says; or no descriptor is left for a connection. InvalidArgument: two say that they are one rank, or have one LOCAL_RANK on one host, or one has another
// number of ranks. Cancelled: a stop signal.
absl::Status GatherMembers(Admission& door, absl::Duration timeout, std::vector<Member>& members);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_GATHER_MEMBERS_H_
