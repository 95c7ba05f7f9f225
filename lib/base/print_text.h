// Output of requested text, such as --help, a table or a plan, with errors. All requested text must be printed by these
// functions: an unchecked write would lose it silently (a full disk, a pipe whose reader is gone).
//
// Lines about the tool's own work are printed by log_line.h, which ignores errors, because the result does not depend
// on these lines.
#ifndef LOCKSTEP_LIB_BASE_PRINT_TEXT_H_
#define LOCKSTEP_LIB_BASE_PRINT_TEXT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Writes all of ReadableText(text) to standard output before it returns; nothing stays in a buffer. Standard output may
// be a terminal, which a name in the text must not control. Errors are those of WriteError; also returns
// UnavailableError if standard output is closed, and CancelledError if a stop signal arrives while a pipe is full.
absl::Status PrintToStdout(absl::string_view text);

// Writes to standard error in the same way, for a plan.
absl::Status PrintToStderr(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PRINT_TEXT_H_
