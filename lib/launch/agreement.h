// Check that two processes of a world would train in the same way: with the same program, libraries, flags and data
// set. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_
#define LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// Returns "rank 1 on HOST".
std::string MemberName(const proto::ProcessDescription& description);

// Returns UnavailableError if the two processes differ. The message names the member, its host, and the difference: the
// program, or the first setting with both values and the names of the other settings.
absl::Status CheckAgreement(const proto::ProcessDescription& leader, const proto::ProcessDescription& member);

// Does the same for the data set. The leader knows its digest only after it has read the data set.
absl::Status CheckSameDataset(const proto::ProcessDescription& leader, const std::string& leaders_sha256,
                              const proto::ProcessDescription& member);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_
