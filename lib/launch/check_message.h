// Check of a message between the leader and an agent: each number must be in its range, and each text that a person may
// read must be short and readable. Both ends must check all messages that they receive, like a reader of records
// (value_ranges.h).
#ifndef LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_
#define LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

// Longest message of an AgentVerdict: an error is one line.
inline constexpr size_t kMaxVerdictBytes = size_t{64} << 10;

// Returns DataLossError, with the field, the expected values and the value found, if `message` is not valid.
absl::Status CheckMessage(const proto::AgentMessage& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_CHECK_MESSAGE_H_
