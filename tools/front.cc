// train_sweep, scale_run and quantize as they are called: answers what needs no LibTorch (a wrong flag, --help, a run that
// would only repeat itself), or becomes the program that does the work.
//
// The work is done by libexec/TOOL beside this program, which links LibTorch and takes a third of a second to load it.
// This front links nothing of it and answers in milliseconds. Whatever it is not sure of, it leaves to the other.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/init_main.h"
#include "lib/base/log_line.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/device/torch_needs.h"
#include "lib/record/same_run.h"
#include "tools/two_programs.h"
#ifdef LOCKSTEP_LAUNCHED
#include "lib/launch/launch_environment.h"
#include "lib/launch/quiet_unless_leader.h"
#endif

// LOCKSTEP_TOOL: the tool's name. LOCKSTEP_OUTPUT: what its --output is when none is given.
// LOCKSTEP_LAUNCHED: a launcher may start the tool once for each rank. All from the BUILD file.
namespace lockstep {
namespace {

// The program that does the work, beside this one. Never one of the working folder.
absl::StatusOr<std::string> ProgramPath() {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  return self.substr(0, self.rfind('/') + 1) + "libexec/" LOCKSTEP_TOOL;
}

// Where a launcher started several processes, one alone may look at the output or speak of a flag, and the others wait for
// its word: that is for the program to arrange.
bool IsAlone(const std::vector<std::string>& command_line) {
#ifdef LOCKSTEP_LAUNCHED
  const auto place = ReadLaunchPlace(FlagValue(command_line, "launcher", "auto"),
                                     [](const char* name) -> const char* { return std::getenv(name); });
  return place.ok() && place->launcher == Launcher::kNone;
#else
  return true;
#endif
}

// ONNX files are made from the record, after it, and are none of the files that it names.
bool MakesTheRecordOnly(const std::vector<std::string>& command_line) {
  return FlagValue(command_line, "onnx", "").empty();
}

// Returns only if the flags are wrong, it said `cached`, or the other program cannot be started.
absl::Status Run(int argc, char** argv) {
  PlannedRun run;
  run.command_line.assign(argv, argv + argc);
  run.command_line[0] = LOCKSTEP_TOOL;
  ASSIGN_OR_RETURN(run.program, ProgramPath());
  const bool is_alone = IsAlone(run.command_line);
  if (is_alone) {
    RETURN_IF_ERROR(CheckFlags());
  }
  run.output = FlagValue(run.command_line, "output", LOCKSTEP_OUTPUT);
  if (run.output != "-" && is_alone && MakesTheRecordOnly(run.command_line) && CheckSameRun(run).ok()) {
    LogLine(absl::StrCat(LOCKSTEP_TOOL ": cached ", run.output));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckTorchNeeds());
  execv(run.program.c_str(), argv);
  return absl::UnavailableError(absl::StrCat("cannot start ", run.program, ": ", std::strerror(errno),
                                             "; it belongs beside this program: build or copy both again"));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  {
#ifdef LOCKSTEP_LAUNCHED
    const lockstep::QuietUnlessLeader quiet(lockstep::FlagValue({argv, argv + argc}, "launcher", "auto"));
#endif
    lockstep::ReadCommandLine(lockstep::DescribeTool(), argc, argv);
  }
  return lockstep::RunTool(LOCKSTEP_TOOL, [&] { return lockstep::Run(argc, argv); });
}
