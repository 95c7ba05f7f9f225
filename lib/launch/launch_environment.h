// Which launcher started this process, as --launcher and the environment tell it. Knows nothing of LibTorch.
//
// Launchers are looked for from the inside out: torchrun, Open MPI, PMI, a Slurm step. So torchrun within a Slurm step is
// torchrun. An environment with some of a launcher's variables, or with some that contradict each other, is refused.
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"

namespace lockstep {

// As --launcher takes it: "none", "torchrun", "openmpi", "pmi", "slurm".
const char* LauncherName(Launcher launcher);

// `word` is "auto", or the only launcher that is looked for. InvalidArgument names the variables: half set, contradictory,
// or missing though `word` asks for them; also another word.
absl::StatusOr<LaunchPlace> ReadLaunchPlace(const std::string& word, const EnvironmentLookup& lookup);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_
