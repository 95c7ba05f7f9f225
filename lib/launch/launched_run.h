// Whole run of a process: alone, as the leader of a world, or as an agent, depending on its launcher.
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/launch/rendezvous_endpoint.h"
#include "lib/launch/world.h"

namespace lockstep {

struct LaunchedRunOptions {
  std::string tool;               // tool's name, for messages
  std::string launcher = "auto";  // value of --launcher
  RendezvousFlags rendezvous;
  // Network device for the ranks' communication, such as "eth0". Empty: the device of GLOO_SOCKET_IFNAME, or the device
  // on the route to rank 0's host.
  std::string interface;
  std::string dataset;       // value of --input, which each process must have
  bool ask_for_gpus = true;  // false: the number of GPUs of this host is not needed
  absl::Duration timeout = absl::Seconds(60);
};

// Runs this process and returns the exit code for main.
//   - In the process of rank 0, or without a launcher: calls `lead` and prints its error. The world is null if this
//     process starts its ranks itself.
//   - In any other process: serves the leader and returns the leader's exit code. Prints only errors that the leader
//     cannot know.
// Errors are also written to torchrun's error file (error_file.h).
int RunLaunched(const LaunchedRunOptions& options, const std::function<absl::Status(World*)>& lead);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_
