// Place of a rank in a run, passed in environment variables: torchrun's and four of our own. Does not depend on
// LibTorch.
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
  int local_size = 1;                          // LOCAL_WORLD_SIZE: number of ranks on this host, at most size
  std::string host;                            // MASTER_ADDR
  uint16_t port = 0;                           // MASTER_PORT, at least 1
  std::string task;                            // LOCKSTEP_RANK_TASK: name of the rank's task
  std::string payload;                         // LOCKSTEP_RANK_PAYLOAD: input of the task, any bytes (base64)
  std::string secret;                          // LOCKSTEP_RANK_SECRET: RunSecret::Hex of the point's store
  absl::Duration timeout = absl::Seconds(60);  // LOCKSTEP_RANK_TIMEOUT, above 0, in the format of absl::FormatDuration
};

// Variable that makes a process a rank.
inline constexpr char kRankTaskVariable[] = "LOCKSTEP_RANK_TASK";

// Returns the environment variables for `rank`.
std::map<std::string, std::string> ToVariables(const RankEnvironment& rank);

// Reads the variables by `lookup` (std::getenv). Returns InvalidArgumentError, with the name of the variable, if a
// variable is missing, is not a number, or contradicts another. No error contains the secret.
absl::StatusOr<RankEnvironment> ReadRankEnvironment(const EnvironmentLookup& lookup);

// Overwrites the secret in this process's environment and removes the variable, so that no child inherits the secret
// and /proc/PID/environ does not contain it. Must be called before any thread starts.
void EraseSecretFromEnvironment();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_ENVIRONMENT_H_
