// How a process of a world introduces itself.
#ifndef LOCKSTEP_LIB_LAUNCH_PROCESS_HELLO_H_
#define LOCKSTEP_LIB_LAUNCH_PROCESS_HELLO_H_

#include <c10/core/Device.h>

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/launch_place.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

std::string HostName();

// The versions of what computes and communicates on such a device, among the settings.
void AddLibraries(c10::Device device, proto::AgentHello& hello);

// All of AgentHello but the data set. `ask_for_gpus`: how many this process sees, and CUDA's libraries; no context is made
// on any of them. Errors: its program cannot be read.
absl::StatusOr<proto::AgentHello> DescribeProcess(const LaunchPlace& place, bool ask_for_gpus);

// AgentHello.dataset, for an agent: what is at `path` here, the one file that an agent reads. Cancelled: a stop signal.
absl::StatusOr<std::string> DescribeDataset(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PROCESS_HELLO_H_
