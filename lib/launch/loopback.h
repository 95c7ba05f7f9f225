// Whether the ranks of one host can meet: over 127.0.0.1, which a container or a network namespace may not have.
#ifndef LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_
#define LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_

#include "absl/status/status.h"

namespace lockstep {

inline constexpr char kLoopback[] = "127.0.0.1";

// Connects to itself, once. Asked before anything waits there: LibTorch's store tries again until its timeout, deaf to
// signals, and says so in lines of its own. Unavailable: no connection, or none within 5 s. Cancelled: a stop signal.
absl::Status CheckLoopback();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LOOPBACK_H_
