// A whole run, by whoever started this process: alone, as the leader of a world, or as one of its agents.
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/launch/meeting_point.h"
#include "lib/launch/world.h"

namespace lockstep {

struct LaunchedRunOptions {
  std::string tool;               // its name, for messages
  std::string launcher = "auto";  // --launcher
  MeetingFlags meeting;
  std::string
      interface;  // the network device that ranks talk over, "eth0"; empty: as GLOO_SOCKET_IFNAME says, or the way
                  // to rank 0's host
  std::string dataset;       // --input, which each process must have
  bool ask_for_gpus = true;  // false: nobody wants to know how many this host has
  absl::Duration timeout = absl::Seconds(60);
};

// In a process of rank 0, or that no launcher started: calls `lead`, prints its error, and returns main's exit code. The
// world is null when this process starts its ranks itself. In any other process: serves the leader, and returns the
// leader's exit code; prints only what the leader cannot know. An error goes to torchrun's error file, too.
int RunLaunched(const LaunchedRunOptions& options, const std::function<absl::Status(World*)>& lead);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCHED_RUN_H_
