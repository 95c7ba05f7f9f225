// train_sweep: times one model at several batch sizes on one device. The stage is lib/train/train_sweep.h.
#include "lib/train/train_sweep.h"

#include <cstdlib>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "lib/base/exit_status.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/skip_static_destructors.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_needs.h"
#include "lib/record/stdout_guard.h"
#include "tools/train_sweep_flags.h"
#include "tools/two_programs.h"

namespace lockstep {
namespace {

absl::Status Run() {
  if (const std::string order = absl::GetFlag(FLAGS_internal_point); !order.empty()) {
    const absl::Status status = RunTrainSweepPoint(order);
    if (absl::IsCancelled(status)) {
      std::exit(static_cast<int>(ToExitCode(status)));  // the parent prints the error, once
    }
    return status;
  }
  RETURN_IF_ERROR(CheckTorchNeeds());
  ASSIGN_OR_RETURN(const TrainSweepOptions options, TrainSweepOptionsFromFlags());
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunTrainSweep(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::SkipStaticDestructors();
  const lockstep::ToolInfo tool = lockstep::DescribeTool();
  lockstep::InitMain(tool, argc, argv);
  return lockstep::RunTool(tool.name, lockstep::Run);
}
