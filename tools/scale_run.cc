// scale_run: trains one model on 1 to N devices and measures the cost of communication. The stage is
// lib/scale_run/scale_run.h.
#include "lib/scale_run/scale_run.h"

#include <algorithm>
#include <cstdint>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "lib/base/init_main.h"
#include "lib/base/open_files.h"
#include "lib/base/skip_static_destructors.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_needs.h"
#include "lib/launch/launch.h"
#include "lib/launch/launched_run.h"
#include "lib/launch/quiet_unless_leader.h"
#include "lib/launch/torchrun_store.h"
#include "lib/record/same_run.h"
#include "lib/record/stdout_guard.h"
#include "tools/scale_run_flags.h"
#include "tools/training_flags.h"
#include "tools/two_programs.h"

namespace lockstep {
namespace {

// Returns the number of descriptors that this process needs: LibTorch's event loop and sockets, and for each rank pipes
// and shared memory. LibTorch calls abort() if it gets too few.
uint64_t OpenFilesNeeded(const ScaleRunOptions& options) {
  constexpr uint64_t kPerProcess = 64;
  constexpr uint64_t kPerRank = 8;
  const auto& ranks = options.spec.ranks();
  const auto max_ranks = std::max_element(ranks.begin(), ranks.end());
  return kPerProcess + kPerRank * (max_ranks == ranks.end() ? 1 : *max_ranks);
}

absl::Status Run(World* world) {
  RETURN_IF_ERROR(CheckTorchNeeds());
  ASSIGN_OR_RETURN(const ScaleRunOptions options, ScaleRunOptionsFromFlags());
  RETURN_IF_ERROR(EnsureOpenFiles(OpenFilesNeeded(options)));
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunScaleRun(options, world);
}

LaunchedRunOptions LaunchedRunFromFlags() {
  LaunchedRunOptions options;
  options.tool = DescribeTool().name;
  options.launcher = absl::GetFlag(FLAGS_launcher);
  options.rendezvous.master_addr = absl::GetFlag(FLAGS_master_addr);
  options.rendezvous.master_port = static_cast<int>(absl::GetFlag(FLAGS_master_port));
  options.interface = absl::GetFlag(FLAGS_interface);
  options.dataset = absl::GetFlag(FLAGS_input);
  options.ask_for_gpus = absl::GetFlag(FLAGS_device) != "cpu";
  options.timeout = absl::GetFlag(FLAGS_timeout);
  return options;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::SkipStaticDestructors();
  if (lockstep::IsTorchrunStoreClient()) {
    return lockstep::RunTorchrunStoreClient();
  }
  if (lockstep::IsRank()) {
    return lockstep::RunRank(lockstep::ScaleRunTasks());
  }
  {
    const lockstep::QuietUnlessLeader quiet(lockstep::FlagValue({argv, argv + argc}, "launcher", "auto"));
    lockstep::InitMain(lockstep::DescribeTool(), argc, argv);
  }
  return lockstep::RunLaunched(lockstep::LaunchedRunFromFlags(), lockstep::Run);
}
