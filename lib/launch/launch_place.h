// Place of a process in a run, read from its launcher's variables. Does not depend on LibTorch.
//
//   torchrun  RANK, WORLD_SIZE, LOCAL_RANK (https://docs.pytorch.org/docs/stable/elastic/run.html); may be set manually
//   openmpi   OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK (https://docs.open-mpi.org, "Environment variables")
//   pmi       PMI_RANK, PMI_SIZE (MPICH's Hydra, srun --mpi=pmi2), or PMIX_RANK with the variables of a Slurm step
//   slurm     SLURM_STEP_ID with SLURM_PROCID and SLURM_LOCALID (man srun); a batch script without srun is not a step
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"

namespace lockstep {

// Maximum number of ranks of a world: more than any machine has, and few enough for the leader to hold an entry for
// each.
inline constexpr int kMaxWorld = 65536;

enum class Launcher { kNone, kTorchrun, kOpenMpi, kPmi, kSlurm };

struct LaunchPlace {
  Launcher launcher = Launcher::kNone;  // kNone: no launcher; this process starts its ranks itself
  int rank = 0;
  int size = 1;           // number of ranks in the world
  int local_rank = 0;     // index among the ranks of this host, at most `rank`
  bool one_host = false;  // true if the launcher's variables show that all ranks are on this host
  std::string run;        // launcher's name for this run; distinguishes its processes from those of other runs
};

// Returns true if `launcher` has set its variables. Returns InvalidArgumentError if only some of them are set.
absl::StatusOr<bool> HasLauncher(Launcher launcher, const EnvironmentReader& variables);

// Returns the place given by the launcher's variables. Returns InvalidArgumentError, with the name of the variable, if
// a variable is missing, is not a number, or contradicts another.
absl::StatusOr<LaunchPlace> ReadPlace(Launcher launcher, const EnvironmentReader& variables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_
