// Program that users call as train_sweep, scale_run or quantize. It handles everything that needs no LibTorch (a wrong
// flag, --help, a run whose result already exists), and otherwise becomes the program that does the work.
//
// The work is done by libexec/TOOL in the same folder, which links LibTorch and takes a third of a second to load it.
// This program does not link LibTorch and answers in milliseconds. In doubtful cases it starts libexec/TOOL.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/init_main.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
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

ABSL_DECLARE_FLAG(std::string, output);

// The BUILD file defines LOCKSTEP_LAUNCHED if a launcher may start the tool once for each rank.
namespace lockstep {
namespace {

// Returns the path of libexec/TOOL next to this program, never one in the working folder.
absl::StatusOr<std::string> ProgramPath(const std::string& tool) {
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  return SiblingPath(self, absl::StrCat("libexec/", tool));
}

// Returns true if no launcher started this process. If a launcher started several processes, only one of them may read
// the output or report a flag, and the others wait for its result; libexec/TOOL implements this.
bool IsAlone(const std::vector<std::string>& command_line) {
#ifdef LOCKSTEP_LAUNCHED
  const auto place = ReadLaunchPlace(FlagValue(command_line, "launcher", "auto"),
                                     [](const char* name) -> const char* { return std::getenv(name); });
  return place.ok() && place->launcher == Launcher::kNone;
#else
  return true;
#endif
}

// Returns false if ONNX files are requested. They are made from the record, after it, and the record does not list
// them.
bool MakesTheRecordOnly(const std::vector<std::string>& command_line) {
  return FlagValue(command_line, "onnx", "").empty();
}

// Returns only if the flags are wrong, if it printed `cached`, or if the other program cannot be started.
absl::Status Run(const std::string& tool, int argc, char** argv) {
  PlannedRun run;
  run.command_line.assign(argv, argv + argc);
  run.command_line[0] = tool;
  ASSIGN_OR_RETURN(run.program, ProgramPath(tool));
  const bool is_alone = IsAlone(run.command_line);
  if (is_alone) {
    RETURN_IF_ERROR(CheckFlags());
  }
  run.output = absl::GetFlag(FLAGS_output);
  if (run.output != "-" && is_alone && MakesTheRecordOnly(run.command_line) && CheckSameRun(run).ok()) {
    LogLine(absl::StrCat(tool, ": cached ", run.output));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckTorchNeeds());
  execv(run.program.c_str(), argv);
  return absl::UnavailableError(absl::StrCat("cannot start ", run.program, ": ", std::strerror(errno),
                                             "; it must be next to this program; build or copy both again"));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const lockstep::ToolInfo tool = lockstep::DescribeTool();
  {
#ifdef LOCKSTEP_LAUNCHED
    const lockstep::QuietUnlessLeader quiet(lockstep::FlagValue({argv, argv + argc}, "launcher", "auto"));
#endif
    lockstep::ReadCommandLine(tool, argc, argv);
  }
  return lockstep::RunTool(tool.name, [&] { return lockstep::Run(tool.name, argc, argv); });
}
