#include "lib/launch/find_secret.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch_environment.h"

namespace lockstep {
namespace {

constexpr char kRemedy[] =
    "run `export LOCKSTEP_TOKEN=$(openssl rand -hex 32)` before the launcher, anew for each run, and pass it to all "
    "processes (mpirun -x LOCKSTEP_TOKEN)";

}  // namespace

absl::StatusOr<std::optional<RunSecret>> FindSecret(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                                    const EnvironmentLookup& lookup) {
  const EnvironmentReader variables(
      lookup, absl::StrCat("rank ", place.rank, " of ", place.size, " (", LauncherName(place.launcher), ")"), kRemedy);
  if (variables.Has(kTokenVariable)) {
    const absl::StatusOr<RunSecret> secret = RunSecret::FromToken(variables.TextOrEmpty(kTokenVariable));
    if (absl::IsInvalidArgument(secret.status())) {
      return variables.Invalid(kTokenVariable, absl::StrCat("is too short: ", secret.status().message()));
    }
    RETURN_IF_ERROR(secret.status());
    return BindToRun(*secret, place);
  }
  if (endpoint.in_torchrun_store || place.size == 1) {
    return std::optional<RunSecret>();
  }
  return variables.Invalid(kTokenVariable,
                           "is not set, and without a secret the processes of a run cannot authenticate each other");
}

RunSecret BindToRun(const RunSecret& secret, const LaunchPlace& place) {
  return secret.Derive(absl::StrCat("lockstep run of ", place.size, " ranks: ", place.run));
}

}  // namespace lockstep
