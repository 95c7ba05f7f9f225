// Launch: starts the ranks of a point as processes, and names the failed rank.
//
// This process runs its own executable once per rank and hosts the ranks' store, so that the death of a rank destroys
// nothing that is needed to name it. In a world (world.h), the rank's agent starts the rank, possibly on another host.
// A rank reads its place from environment variables with torchrun's names (RANK, WORLD_SIZE, LOCAL_RANK,
// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) and its task from variables of our own (rank_environment.h). It returns
// its value or error through a pipe (lib/base/subprocess.h).
//
// Failure detection:
//   - The end of a rank is noticed within milliseconds, and the other ranks are ended.
//   - A rank that hangs is detected by the ranks that wait for it: each wait in the communicator and the store ends
//     after `timeout`, and the rank that reports no error is the one that hangs. Computing has no time limit, so that a
//     long step is never taken for a hang.
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
  std::string task;     // task of the ranks: a key of the map given to RunRank
  std::string payload;  // input of the task: any bytes, at most about 90 KB, because it is passed in the environment
  absl::Duration timeout = absl::Seconds(60);
  World* world = nullptr;  // processes that start the ranks; null: this process starts all ranks
};

// Runs the task in all ranks and returns their values in rank order. If a rank fails, the others are ended, and the
// status names the failed rank:
//   - the rank's own error if it reported one,
//   - UnavailableError if another process killed or stopped the rank, or the rank did not respond,
//   - ResourceExhaustedError if the kernel killed the rank for memory.
// Also returns UnavailableError if this host has no loopback device or an agent is lost, and CancelledError after a
// stop signal to this process or to an agent.
absl::StatusOr<std::vector<std::string>> LaunchRanks(const LaunchOptions& options);

// Place of a rank in the run.
struct RankContext {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // index among the ranks of this host, and index of the rank's device
  absl::Duration timeout = absl::Seconds(60);
  std::string payload;
  Store* store = nullptr;
};

using RankTask = std::function<absl::StatusOr<std::string>(RankContext&)>;

// Returns true if LaunchRanks or an agent started this process as a rank. Must be called in main before flags are
// parsed.
bool IsRank();

// Runs a rank: joins the store, runs the task, sends the result to the launcher, and returns the exit code for main.
int RunRank(const std::map<std::string, RankTask>& tasks);

// Ends this rank at once: sends `status` to the launcher and exits without waiting for any work or destructor. Meant
// for a rank that hangs, or whose communicator would wait in its destructor. `status` must be an error. Thread-safe.
[[noreturn]] void EndRank(const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_H_
