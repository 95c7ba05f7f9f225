// Launcher of this process, read from --launcher and the environment. Does not depend on LibTorch.
//
// Launchers are checked from the innermost to the outermost: torchrun, Open MPI, PMI, a Slurm step. Thus torchrun
// within a Slurm step is torchrun. An environment is refused if it has only some of a launcher's variables, or
// variables that contradict each other.
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"

namespace lockstep {

// Returns the word for --launcher: "none", "torchrun", "openmpi", "pmi" or "slurm".
const char* LauncherName(Launcher launcher);

// Returns this process's place. `word` must be "auto" or the only launcher to check. Returns InvalidArgumentError, with
// the names of the variables, if only some variables are set, if they contradict each other, or if the launcher `word`
// has set no variable; also if `word` is another word.
absl::StatusOr<LaunchPlace> ReadLaunchPlace(const std::string& word, const EnvironmentLookup& lookup);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_ENVIRONMENT_H_
