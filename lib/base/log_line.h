// Lines that a tool prints about its own work, on standard error.
//
// Every such line of lib/ and tools/ goes through these functions (tests/layers_test.py), because a path, a name in a
// record or the name of another host could otherwise control the terminal.
#ifndef LOCKSTEP_LIB_BASE_LOG_LINE_H_
#define LOCKSTEP_LIB_BASE_LOG_LINE_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Writes ReadableLine(text) and a line end to standard error. A failure to write is ignored: the run's result is as
// good without the line. Thread-safe; lines of several threads are not mixed.
void LogLine(absl::string_view text);

// Writes ReadableText(text), which has its own line ends, in the same way.
void LogText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_LOG_LINE_H_
