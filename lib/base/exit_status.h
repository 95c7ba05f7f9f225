// Conversion of an absl::Status to a process's exit code and a line on stderr. No other code does this.
#ifndef LOCKSTEP_LIB_BASE_EXIT_STATUS_H_
#define LOCKSTEP_LIB_BASE_EXIT_STATUS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Exit codes of every tool (tools/README.md).
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,       // fault of Lockstep itself
  kUsage = 2,          // a flag or argument is wrong
  kBadInput = 3,       // an input is missing, broken, or of another kind
  kCheckFailed = 4,    // a requested check did not hold
  kDevice = 5,         // no such device, a lost rank, a timeout
  kHungUp = 129,       // stopped by SIGHUP after keeping what is complete
  kInterrupted = 130,  // stopped by SIGINT after keeping what is complete
  kTerminated = 143,   // stopped by SIGTERM after keeping what is complete
};

// Text for one exit code: --help prints the name, the manual pages print the meaning.
struct ExitCodeMeaning {
  ExitCode code;
  std::string name;     // "bad input"
  std::string meaning;  // one sentence
};

// Returns all exit codes in ascending order.
const std::vector<ExitCodeMeaning>& ExitCodeMeanings();

// Returns the exit code for `status`:
//   kUsage        InvalidArgument, OutOfRange
//   kBadInput     NotFound, DataLoss, FailedPrecondition
//   kCheckFailed  Aborted
//   kDevice       Unavailable, DeadlineExceeded, ResourceExhausted
//   kHungUp       Cancelled, if SIGHUP was caught
//   kTerminated   Cancelled, if SIGTERM was caught
//   kInterrupted  Cancelled, otherwise
//   kInternal     any other error
ExitCode ToExitCode(const absl::Status& status);

// Returns "TOOL: error: MESSAGE" as one line without a line end. The message may quote arbitrary bytes of a broken
// input or of a file's name; ReadableLine escapes these.
std::string ErrorLine(absl::string_view tool, const absl::Status& status);

// Prints ErrorLine on stderr unless `status` is ok, and returns the exit code for main.
int ExitStatus(absl::string_view tool, const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_EXIT_STATUS_H_
