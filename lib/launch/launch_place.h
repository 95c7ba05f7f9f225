// Each launcher's variables, and a process's place that they tell. Knows nothing of LibTorch.
//
//   torchrun  RANK, WORLD_SIZE, LOCAL_RANK (https://docs.pytorch.org/docs/stable/elastic/run.html); set by hand, too
//   openmpi   OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK (https://docs.open-mpi.org, "Environment variables")
//   pmi       PMI_RANK, PMI_SIZE (MPICH's Hydra, srun --mpi=pmi2), or PMIX_RANK with the numbers of a Slurm step
//   slurm     SLURM_STEP_ID with SLURM_PROCID and SLURM_LOCALID (man srun): a batch script without srun is no step
#ifndef LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_
#define LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/launch/environment_reader.h"

namespace lockstep {

// Most ranks of a world: beyond any machine, and few enough that the leader may hold an entry for each.
inline constexpr int kMaxWorld = 65536;

enum class Launcher { kNone, kTorchrun, kOpenMpi, kPmi, kSlurm };

struct LaunchPlace {
  Launcher launcher = Launcher::kNone;  // kNone: nobody; this process starts its ranks itself
  int rank = 0;
  int size = 1;           // ranks in the world
  int local_rank = 0;     // among those of this host, at most rank
  bool one_host = false;  // all ranks are on this host, as far as the launcher says
  std::string run;        // the launcher's name for this run, so that another run's process is not taken for one of it
};

// Whether `launcher` has set its variables. InvalidArgument when it has set some of them.
absl::StatusOr<bool> HasLauncher(Launcher launcher, const EnvironmentReader& variables);

// The place that its variables tell. InvalidArgument names one that is missing, no number, or contradicts another.
absl::StatusOr<LaunchPlace> ReadPlace(Launcher launcher, const EnvironmentReader& variables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_LAUNCH_PLACE_H_
