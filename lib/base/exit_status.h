// The one place where an absl::Status becomes a process's exit code and a line on stderr.
#ifndef LOCKSTEP_LIB_BASE_EXIT_STATUS_H_
#define LOCKSTEP_LIB_BASE_EXIT_STATUS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The exit codes of every tool (tools/README.md).
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,       // our fault
  kUsage = 2,          // a flag or argument is wrong
  kBadInput = 3,       // an input is missing, broken, or of another kind
  kCheckFailed = 4,    // a check that was asked for did not hold
  kDevice = 5,         // no such device, a rank lost, a timeout
  kHungUp = 129,       // stopped by SIGHUP after keeping what is complete
  kInterrupted = 130,  // stopped by SIGINT after keeping what is complete
  kTerminated = 143,   // stopped by SIGTERM after keeping what is complete
};

// An exit code as users read of it: --help has the short name, the manual pages have the meaning.
struct ExitCodeMeaning {
  ExitCode code;
  std::string name;     // "bad input"
  std::string meaning;  // one sentence
};

// Returns all exit codes in ascending order.
const std::vector<ExitCodeMeaning>& ExitCodeMeanings();

// Codes: InvalidArgument and OutOfRange are usage; NotFound, DataLoss and FailedPrecondition are bad input; Aborted is a
// failed check; Unavailable, DeadlineExceeded and ResourceExhausted are the device; Cancelled is a signal (which one
// was caught decides between 129, 130 and 143); everything else is our fault.
ExitCode ToExitCode(const absl::Status& status);

// "TOOL: error: MESSAGE" as one line, without its end. A message may quote a broken input, or name a file in any bytes: it
// is shown as readable_line.h says.
std::string ErrorLine(absl::string_view tool, const absl::Status& status);

// Prints ErrorLine on stderr unless `status` is ok, and returns the exit code for main.
int ExitStatus(absl::string_view tool, const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_EXIT_STATUS_H_
