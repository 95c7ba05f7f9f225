// Checks of a message between the leader and an agent: each number is in its range, and each text that a person may
// read is short and readable. Both ends ask it of all that they receive, as a reader of records does (value_ranges.h).
#ifndef LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_
#define LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// Longest message of an AgentVerdict: an error is one line.
inline constexpr size_t kMaxVerdictBytes = size_t{64} << 10;

// Returns DataLossError, which names the field, what was expected and what was found, if `message` cannot be.
absl::Status CheckMessage(const proto::AgentMessage& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_
