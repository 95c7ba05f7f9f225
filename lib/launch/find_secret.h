// Source of a launched run's secret (run_secret.h). Does not depend on LibTorch.
//
// The first of these sources that exists is used:
//   1. The environment variable LOCKSTEP_TOKEN. It must be the same in all processes of the run, and new for each run.
//   2. torchrun's own store, if the environment announces it. Rank 0 publishes a random secret there.
//   3. No secret in a world of one process, which has nothing to prove.
// There is no default, because a default could be guessed.
#ifndef LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_
#define LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_

#include <optional>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/rendezvous_endpoint.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

inline constexpr char kTokenVariable[] = "LOCKSTEP_TOKEN";

// Returns the secret of the token, bound to the run's name and size (BindToRun). Returns nullopt if there is no token
// and none is needed, because torchrun's store will hold the secret or the world is one process.
//
// Returns InvalidArgumentError, with the variable and the command that sets it, if a token is needed and not set, or
// too short.
absl::StatusOr<std::optional<RunSecret>> FindSecret(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                                    const EnvironmentLookup& lookup);

// Derives the secret of this run from `secret`, which several runs may share. Two runs with the same token do not mix
// if the launcher gives them different names (LaunchPlace::run) or they differ in size.
RunSecret BindToRun(const RunSecret& secret, const LaunchPlace& place);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_
