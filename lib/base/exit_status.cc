#include "lib/base/exit_status.h"

#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/stop_signal.h"

namespace lockstep {

const std::vector<ExitCodeMeaning>& ExitCodeMeanings() {
  static const auto* meanings = new std::vector<ExitCodeMeaning>({
      {ExitCode::kOk, "ok", "The run is complete, or its result existed already."},
      {ExitCode::kInternal, "internal error", "Lockstep itself is at fault."},
      {ExitCode::kUsage, "usage",
       "A flag or an argument is wrong, or an output has no folder or would replace another result or an input."},
      {ExitCode::kBadInput, "bad input", "An input is missing, broken or of another kind."},
      {ExitCode::kCheckFailed, "check failed", "A requested check failed."},
      {ExitCode::kDevice, "device or communication failure",
       "The machine is at fault: no such device, a lost rank, a timeout, a full or failing disk, a closed pipe, or a "
       "limit that was reached."},
      {ExitCode::kHungUp, "SIGHUP", "The run was stopped by SIGHUP and kept its complete results."},
      {ExitCode::kInterrupted, "SIGINT", "The run was stopped by SIGINT and kept its complete results."},
      {ExitCode::kTerminated, "SIGTERM", "The run was stopped by SIGTERM and kept its complete results."},
  });
  return *meanings;
}

ExitCode ToExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return ExitCode::kUsage;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return ExitCode::kBadInput;
    case absl::StatusCode::kAborted:
      return ExitCode::kCheckFailed;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ExitCode::kDevice;
    case absl::StatusCode::kCancelled:
      return StopSignal() == SIGTERM  ? ExitCode::kTerminated
             : StopSignal() == SIGHUP ? ExitCode::kHungUp
                                      : ExitCode::kInterrupted;
    default:
      return ExitCode::kInternal;
  }
}

std::string ErrorLine(absl::string_view tool, const absl::Status& status) {
  return absl::StrCat(tool, ": error: ", ReadableLine(status.message()));
}

int ExitStatus(absl::string_view tool, const absl::Status& status) {
  if (!status.ok()) {
    LogWarning(ErrorLine(tool, status));
  }
  return static_cast<int>(ToExitCode(status));
}

}  // namespace lockstep
