#include "lib/base/exit_status.h"

#include <csignal>
#include <cstdio>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
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
      return StopSignal() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
    default:
      return ExitCode::kInternal;
  }
}

int ExitStatus(absl::string_view tool, const absl::Status& status) {
  if (!status.ok()) {
    const std::string line = absl::StrReplaceAll(status.message(), {{"\n", "; "}});
    std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(tool.size()), tool.data(), line.c_str());
  }
  return static_cast<int>(ToExitCode(status));
}

}  // namespace lockstep
