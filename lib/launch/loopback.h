// Check of the loopback device, over which the ranks of one host connect. A container or a network namespace may lack
// it.
#ifndef LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_
#define LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_

#include "absl/status/status.h"

namespace lockstep {

inline constexpr char kLoopback[] = "127.0.0.1";

// Connects to a port of this process over the loopback device. Must be called before any code waits for a connection
// there: LibTorch's store retries until its timeout, ignores signals meanwhile, and prints its own messages. Returns
// UnavailableError if no connection exists after 5 s, and CancelledError after a stop signal.
absl::Status CheckLoopback();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_
