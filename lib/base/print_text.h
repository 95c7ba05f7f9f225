// Text that a run was asked for, such as --help, a table or a plan, and the failure to deliver it. Nothing prints such
// a text in another way: a write that nobody looks at loses it in silence (a full disk, a pipe whose reader is gone).
//
// Lines about the tool's own work go through log_line.h, which does not check: if nobody can read them, the result is as
// good.
#ifndef LOCKSTEP_LIB_BASE_PRINT_TEXT_H_
#define LOCKSTEP_LIB_BASE_PRINT_TEXT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Writes all of ReadableText(text) to standard output before it returns; nothing stays in a buffer. Standard output may
// be a terminal, which a name in the text must not control. Errors as WriteError's; also Unavailable when standard
// output is closed, and Cancelled when a stop signal came while a pipe was full.
absl::Status PrintToStdout(absl::string_view text);

// The same to stderr, where a plan goes.
absl::Status PrintToStderr(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PRINT_TEXT_H_
