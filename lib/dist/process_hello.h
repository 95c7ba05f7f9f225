// How a process of a world introduces itself.
#ifndef LOCKSTEP_LIB_DIST_PROCESS_HELLO_H_
#define LOCKSTEP_LIB_DIST_PROCESS_HELLO_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/dist/launch_place.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

std::string HostName();

// `ask_for_gpus`: how many this process sees; no context is made on any of them. Errors: its program cannot be read.
absl::StatusOr<proto::AgentHello> DescribeProcess(const LaunchPlace& place, bool ask_for_gpus);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_PROCESS_HELLO_H_
