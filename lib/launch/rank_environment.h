// A rank's place in a run, as the environment tells it: torchrun's names, and four of our own. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_ENVIRONMENT_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_ENVIRONMENT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/environment_reader.h"

namespace lockstep {

struct RankEnvironment {
  int rank = 0;                                // RANK, below size
  int size = 1;                                // WORLD_SIZE
  int local_rank = 0;                          // LOCAL_RANK, below local_size
  int local_size = 1;                          // LOCAL_WORLD_SIZE: ranks on this host, at most size
  std::string host;                            // MASTER_ADDR
  uint16_t port = 0;                           // MASTER_PORT, at least 1
  std::string task;                            // LOCKSTEP_RANK_TASK: what the rank is to do
  std::string payload;                         // LOCKSTEP_RANK_PAYLOAD: its input, any bytes (base64)
  std::string secret;                          // LOCKSTEP_RANK_SECRET: RunSecret::Hex of the point's store
  absl::Duration timeout = absl::Seconds(60);  // LOCKSTEP_RANK_TIMEOUT, above 0 (as absl::FormatDuration writes it)
};

// The variable that makes a process a rank.
inline constexpr char kRankTaskVariable[] = "LOCKSTEP_RANK_TASK";

// The variables that say so.
std::map<std::string, std::string> ToVariables(const RankEnvironment& rank);

// Reads them back through `lookup` (std::getenv). InvalidArgument names the variable that is missing, is no number, or
// contradicts another. No error contains the secret.
absl::StatusOr<RankEnvironment> ReadRankEnvironment(const EnvironmentLookup& lookup);

// Overwrites the secret in this process's environment and takes the variable away, so that no child inherits it and
// /proc/PID/environ does not hold it. Call before any thread starts.
void EraseSecretFromEnvironment();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_ENVIRONMENT_H_
