// Whether two processes of a world would train the same: with one program, one set of libraries and flags, one data set.
// Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_
#define LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// "rank 1 on HOST".
std::string MemberName(const proto::AgentHello& hello);

// Unavailable names the member, its host, and what differs, with both values: the program, or the first setting and the
// names of the others.
absl::Status CheckAgreement(const proto::AgentHello& leader, const proto::AgentHello& member);

// The same for the data set, of which the leader's digest is known only once it has been read.
absl::Status CheckSameDataset(const proto::AgentHello& leader, const std::string& leaders_sha256,
                              const proto::AgentHello& member);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_AGREEMENT_H_
