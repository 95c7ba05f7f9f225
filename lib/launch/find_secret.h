// The source of a launched run's secret (run_secret.h). Knows nothing of LibTorch.
//
// The first of these counts:
//   1. the environment variable LOCKSTEP_TOKEN, the same in all processes of the run, and a fresh one for each run,
//   2. torchrun's own store, if torchrun says that it has one: rank 0 makes a random secret and publishes it there,
//   3. nothing, in a world of one process: there is nobody to prove anything to.
// There is no default: what could be guessed is no secret.
#ifndef LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_
#define LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_

#include <optional>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/meeting_point.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

inline constexpr char kTokenVariable[] = "LOCKSTEP_TOKEN";

// Returns the secret of the token, bound to the run's name and size (BindToRun). Empty if there is none and none is needed,
// because torchrun's store will hold it, or the world is one process.
//
// Returns InvalidArgumentError, which names the variable and the command that sets it, if a secret is needed and there is
// none, or the token is too short.
absl::StatusOr<std::optional<RunSecret>> FindSecret(const LaunchPlace& place, const MeetingPoint& point,
                                                    const EnvironmentLookup& lookup);

// Returns the secret by which this run's processes know each other, derived from one that several runs may share: two runs
// with one exported token do not mix if the launcher names them (LaunchPlace::run), or they differ in size.
RunSecret BindToRun(const RunSecret& secret, const LaunchPlace& place);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_FIND_SECRET_H_
