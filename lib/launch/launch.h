// Starts the ranks of a point as processes, and says which one is to blame when they fail.
//
// This process runs its own executable once per rank and hosts the store where they meet, so a rank that dies takes
// nothing down with it that is needed to name it. In a world (world.h) each rank's own agent starts it, maybe on another
// host. A rank finds its place in the environment under torchrun's names
// (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) and its work under two of our own. What it
// returns, value or error, comes back through a pipe (lib/base/subprocess.h).
//
// How a failure is found: a rank that ends is seen within milliseconds, and the others are ended at once. A rank that
// hangs is found by those that wait for it: each wait in the communicator and the store ends after `timeout`, and the
// rank that does not complain is the one that hangs. There is no limit on computing, so a long step is never mistaken.
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCH_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/store.h"
#include "lib/launch/world.h"

namespace lockstep {

struct LaunchOptions {
  int ranks = 1;
  std::string task;     // what the ranks are to do: a key of the map given to RunRank
  std::string payload;  // its input, any bytes up to about 90 KB (it travels in the environment)
  absl::Duration timeout = absl::Seconds(60);
  World* world = nullptr;  // the processes that start the ranks; null: this one starts all of them
};

// Runs the task in all ranks and returns what each returned, in rank order. When one fails, the others are ended and
// the status names it: its own status code and message when it told them, Unavailable when somebody killed or stopped
// it or it did not answer, ResourceExhausted when the kernel killed it for memory. Unavailable too when this host has
// no loopback device, or an agent is lost. Cancelled after a stop signal to this process, or to an agent.
absl::StatusOr<std::vector<std::string>> LaunchRanks(const LaunchOptions& options);

// A rank's place in the run.
struct RankContext {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // among the ranks of this host: the index of its device
  absl::Duration timeout = absl::Seconds(60);
  std::string payload;
  Store* store = nullptr;
};

using RankTask = std::function<absl::StatusOr<std::string>(RankContext&)>;

// Whether this process was started by LaunchRanks: main asks before it parses flags.
bool IsRank();

// For main of a rank: joins the store, runs its task, hands the result to the launcher, and returns the exit code.
int RunRank(const std::map<std::string, RankTask>& tasks);

// Ends this rank at once, from any thread: hands the status, which is an error, to the launcher, and waits for nothing that
// the rank still does or holds. For a rank that has come to a stop, or whose communicator would wait as it is destroyed.
[[noreturn]] void EndRank(const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_H_
