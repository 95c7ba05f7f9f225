#include "lib/base/exit_status.h"

#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/stop_signal.h"

namespace lockstep {

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
    LogLine(ErrorLine(tool, status));
  }
  return static_cast<int>(ToExitCode(status));
}

}  // namespace lockstep
