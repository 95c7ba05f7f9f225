#include "lib/launch/launch_environment.h"

#include "absl/strings/str_cat.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr Launcher kInOrder[] = {Launcher::kTorchrun, Launcher::kOpenMpi, Launcher::kPmi, Launcher::kSlurm,
                                 Launcher::kNone};

EnvironmentReader Reader(Launcher launcher, const EnvironmentLookup& lookup) {
  return EnvironmentReader(
      lookup, absl::StrCat("the environment of ", LauncherName(launcher)),
      "set all of a launcher's variables or none, or give --launcher=none to start the ranks here");
}

}  // namespace

const char* LauncherName(Launcher launcher) {
  switch (launcher) {
    case Launcher::kTorchrun:
      return "torchrun";
    case Launcher::kOpenMpi:
      return "openmpi";
    case Launcher::kPmi:
      return "pmi";
    case Launcher::kSlurm:
      return "slurm";
    case Launcher::kNone:
      break;
  }
  return "none";
}

absl::StatusOr<LaunchPlace> ReadLaunchPlace(const std::string& word, const EnvironmentLookup& lookup) {
  RETURN_IF_ERROR(CheckFlagWord("launcher", word, {"auto", "none", "torchrun", "openmpi", "pmi", "slurm"}));
  for (const Launcher launcher : kInOrder) {
    if (word != "auto" && word != LauncherName(launcher)) {
      continue;
    }
    const EnvironmentReader variables = Reader(launcher, lookup);
    ASSIGN_OR_RETURN(const bool present, HasLauncher(launcher, variables));
    if (present) {
      return ReadPlace(launcher, variables);
    }
    if (word != "auto") {
      return variables.Invalid("--launcher", absl::StrCat("is ", word, ", but none of its variables is set"));
    }
  }
  return LaunchPlace();
}

}  // namespace lockstep
