#include "lib/launch/launch_place.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// First of Slurm's step numbers for steps that srun did not start, such as a batch script or an interactive shell
// (slurm.h, SLURM_BATCH_SCRIPT and the constants next to it).
constexpr uint64_t kFirstSpecialStep = 0xfffffff0;

constexpr char kTasks[] = "SLURM_STEP_NUM_TASKS";
constexpr char kNodes[] = "SLURM_STEP_NUM_NODES";

// Names of the variables with the numbers that every launcher gives.
struct Names {
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;  // variable that may be unset; null: the launcher has no such variable
};

absl::StatusOr<LaunchPlace> ReadNumbers(Launcher launcher, const EnvironmentReader& variables, const Names& names) {
  LaunchPlace place;
  place.launcher = launcher;
  ASSIGN_OR_RETURN(place.size, variables.Number(names.size, 1, kMaxWorld));
  ASSIGN_OR_RETURN(place.rank, variables.Number(names.rank, 0, kMaxWorld - 1));
  ASSIGN_OR_RETURN(place.local_rank, variables.Number(names.local_rank, 0, kMaxWorld - 1));
  const bool has_local_size = names.local_size != nullptr && variables.Has(names.local_size);
  int local_size = place.size;
  if (has_local_size) {
    ASSIGN_OR_RETURN(local_size, variables.Number(names.local_size, 1, kMaxWorld));
  }
  const auto contradicts = [&](const char* name, int value, const char* other, int limit) {
    return variables.Invalid(name, absl::StrCat("is ", value, ", which ", other, "=", limit, " does not allow"));
  };
  if (place.rank >= place.size) {
    return contradicts(names.rank, place.rank, names.size, place.size);
  }
  if (local_size > place.size) {
    return contradicts(names.local_size, local_size, names.size, place.size);
  }
  if (place.local_rank >= local_size) {
    return contradicts(names.local_rank, place.local_rank, has_local_size ? names.local_size : names.size, local_size);
  }
  if (place.local_rank > place.rank) {  // the ranks of a host are numbered in the order of the world
    return contradicts(names.local_rank, place.local_rank, names.rank, place.rank);
  }
  place.one_host = place.size == 1 || (has_local_size && local_size == place.size);
  return place;
}

// Returns true if this process belongs to a step that srun started.
bool IsStep(const EnvironmentReader& variables) {
  uint64_t step = 0;
  return variables.Has("SLURM_STEP_ID") &&
         (!absl::SimpleAtoi(variables.TextOrEmpty("SLURM_STEP_ID"), &step) || step < kFirstSpecialStep);
}

std::string StepName(const EnvironmentReader& variables) {
  return absl::StrCat(variables.TextOrEmpty(variables.FirstOf({"SLURM_JOB_ID", "SLURM_JOBID"})), ".",
                      variables.TextOrEmpty("SLURM_STEP_ID"));
}

absl::StatusOr<LaunchPlace> ReadSlurm(Launcher launcher, const EnvironmentReader& variables, const char* rank) {
  const char* const size = variables.FirstOf({kTasks, "SLURM_NTASKS"});
  ASSIGN_OR_RETURN(LaunchPlace place, ReadNumbers(launcher, variables, {rank, size, "SLURM_LOCALID", nullptr}));
  place.one_host = place.one_host || variables.TextOrEmpty(variables.FirstOf({kNodes, "SLURM_NNODES"})) == "1";
  place.run = StepName(variables);
  return place;
}

absl::StatusOr<LaunchPlace> ReadTorchrun(const EnvironmentReader& variables) {
  ASSIGN_OR_RETURN(LaunchPlace place, ReadNumbers(Launcher::kTorchrun, variables,
                                                  {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}));
  place.run = absl::StrCat(variables.TextOrEmpty("TORCHELASTIC_RUN_ID"), ".",
                           variables.TextOrEmpty("TORCHELASTIC_RESTART_COUNT"));
  return place;
}

absl::StatusOr<LaunchPlace> ReadOpenMpi(const EnvironmentReader& variables) {
  ASSIGN_OR_RETURN(LaunchPlace place, ReadNumbers(Launcher::kOpenMpi, variables,
                                                  {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                                   "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}));
  place.run = variables.TextOrEmpty(variables.FirstOf({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}));
  return place;
}

// Reads the place from PMI's variables. Hydra also sets the local rank. With Slurm's PMI plugins, the local rank is in
// Slurm's own variables.
absl::StatusOr<LaunchPlace> ReadPmi(const EnvironmentReader& variables) {
  const char* const rank = variables.FirstOf({"PMI_RANK", "PMIX_RANK"});
  if (variables.Has("PMI_RANK") && variables.Has("PMIX_RANK") &&
      variables.TextOrEmpty("PMI_RANK") != variables.TextOrEmpty("PMIX_RANK")) {
    return variables.Invalid("PMI_RANK", absl::StrCat("is ", variables.TextOrEmpty("PMI_RANK"), " and PMIX_RANK is ",
                                                      variables.TextOrEmpty("PMIX_RANK")));
  }
  if (!variables.Has("MPI_LOCALRANKID") && !variables.Has("PMI_LOCAL_RANK") && IsStep(variables) &&
      variables.TextOrEmpty("SLURM_PROCID") == variables.TextOrEmpty(rank)) {
    return ReadSlurm(Launcher::kPmi, variables, rank);
  }
  return ReadNumbers(Launcher::kPmi, variables,
                     {rank, "PMI_SIZE", variables.FirstOf({"PMI_LOCAL_RANK", "MPI_LOCALRANKID"}),
                      variables.FirstOf({"PMI_LOCAL_SIZE", "MPI_LOCALNRANKS"})});
}

}  // namespace

absl::StatusOr<bool> HasLauncher(Launcher launcher, const EnvironmentReader& variables) {
  switch (launcher) {
    case Launcher::kTorchrun:
      return variables.HasAll({"RANK", "WORLD_SIZE", "LOCAL_RANK"});
    case Launcher::kOpenMpi:
      return variables.HasAll({"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"});
    case Launcher::kPmi:
      return variables.Has("PMIX_RANK") ? absl::StatusOr<bool>(true) : variables.HasAll({"PMI_RANK", "PMI_SIZE"});
    case Launcher::kSlurm:
      return IsStep(variables) ? variables.HasAll({"SLURM_STEP_ID", "SLURM_PROCID", "SLURM_LOCALID"}) : false;
    case Launcher::kNone:
      break;
  }
  return true;
}

absl::StatusOr<LaunchPlace> ReadPlace(Launcher launcher, const EnvironmentReader& variables) {
  switch (launcher) {
    case Launcher::kTorchrun:
      return ReadTorchrun(variables);
    case Launcher::kOpenMpi:
      return ReadOpenMpi(variables);
    case Launcher::kPmi:
      return ReadPmi(variables);
    case Launcher::kSlurm:
      return ReadSlurm(launcher, variables, "SLURM_PROCID");
    case Launcher::kNone:
      break;
  }
  return LaunchPlace();
}

}  // namespace lockstep
