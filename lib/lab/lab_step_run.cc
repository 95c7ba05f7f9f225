#include "lib/lab/lab_step_run.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/exit_status.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/record/placed_file.h"
#include "lib/record/record_reader.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Time that a stopped tool has to end its own children (kKillTimeout of each) and to keep its records.
constexpr absl::Duration kStopGrace = absl::Seconds(20);

constexpr char kForce[] = "--force";

// Returns true if the record was made by another command, and may be replaced without losing measurements.
bool MustReplace(const LabStep& step) {
  if (!step.is_derived || !FileState::Of(step.record).is_there()) {
    return false;
  }
  DeclareInput(step.record);
  const auto reader = RecordReader::Open(step.record, "");
  if (!reader.ok()) {
    return false;  // the tool reports what the file is
  }
  const auto& made_by = (*reader)->header().command_line();
  return WithoutForce({made_by.begin(), made_by.end()}) != WithoutForce(step.command);
}

std::vector<std::string> Arguments(const std::string& tools, const LabStep& step) {
  std::vector<std::string> arguments = step.command;
  arguments[0] = JoinPath(tools, arguments[0]);
  if (MustReplace(step) && std::find(arguments.begin(), arguments.end(), kForce) == arguments.end()) {
    arguments.push_back(kForce);
  }
  return arguments;
}

absl::StatusOr<ChildExit> RunToEnd(std::vector<std::string> arguments) {
  ChildOptions child;
  child.argv = std::move(arguments);
  child.stop_grace = kStopGrace;
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren({child}, absl::InfiniteDuration()));
  return exits.front();
}

// Returns the status with the exit code of the tool (ToExitCode).
absl::Status StatusOfExit(const std::string& tool, const ChildExit& exit) {
  if (exit.signalled) {
    return absl::UnavailableError(absl::StrCat(tool, " was ended by signal ", exit.code));
  }
  const std::string message = absl::StrCat(tool, " ended with exit code ", exit.code, "; its error is printed above");
  switch (static_cast<ExitCode>(exit.code)) {
    case ExitCode::kOk:
      return absl::OkStatus();
    case ExitCode::kUsage:
      return absl::InvalidArgumentError(message);
    case ExitCode::kBadInput:
      return absl::FailedPreconditionError(message);
    case ExitCode::kCheckFailed:
      return absl::AbortedError(message);
    case ExitCode::kDevice:
      return absl::UnavailableError(message);
    case ExitCode::kHungUp:
    case ExitCode::kInterrupted:
    case ExitCode::kTerminated:
      return absl::CancelledError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace

absl::Status InStep(const LabRequest& request, const absl::Status& status, const std::string& where) {
  if (absl::IsCancelled(status)) {
    return absl::CancelledError(absl::StrCat(status.message(), " in ", where,
                                             request.force
                                                 ? "; the same command without --force keeps all records so far"
                                                 : "; the same command continues from there"));
  }
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

absl::Status RunLabStep(const std::string& tools, const LabStep& step) {
  ASSIGN_OR_RETURN(const ChildExit exit, RunToEnd(Arguments(tools, step)));
  RETURN_IF_ERROR(CheckNotStopped());
  return StatusOfExit(step.command[0], exit);
}

// The shell discards the output: the warnings of a page would otherwise be printed after each step.
bool MakePageQuietly(const std::string& tools, const LabStep& report) {
  std::vector<std::string> arguments = {"/bin/sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"};
  for (std::string& word : Arguments(tools, report)) {
    arguments.push_back(std::move(word));
  }
  const absl::StatusOr<ChildExit> exit = RunToEnd(std::move(arguments));
  return exit.ok() && !exit->signalled && exit->code == 0;
}

}  // namespace lockstep
