// Self-description of a process of a world.
#ifndef LOCKSTEP_LIB_LAUNCH_PROCESS_DESCRIPTION_H_
#define LOCKSTEP_LIB_LAUNCH_PROCESS_DESCRIPTION_H_

#include <c10/core/Device.h>

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/launch_place.h"
#include "lib/proto/agent.pb.h"

namespace lockstep {

std::string HostName();

// Adds the versions of the libraries that compute and communicate on such a device to the settings of `description`.
void AddLibraries(c10::Device device, proto::ProcessDescription& description);

// Returns a ProcessDescription without the data set. If `ask_for_gpus`, it includes the number of visible GPUs and the
// versions of CUDA's libraries; no CUDA context is created. Returns an error if the program's file cannot be read.
absl::StatusOr<proto::ProcessDescription> DescribeProcess(const LaunchPlace& place, bool ask_for_gpus);

// Returns the value of ProcessDescription.dataset for the data set at `path` on this host, the only file that an agent
// reads. Returns CancelledError after a stop signal.
absl::StatusOr<std::string> DescribeDataset(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_PROCESS_DESCRIPTION_H_
