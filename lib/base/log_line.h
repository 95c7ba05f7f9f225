// Lines that a tool prints about its own work, on standard error.
//
// Every such line of lib/ and tools/ goes through these functions (tests/layers_test.py), because a path, a name in a
// record or the name of another host could otherwise control the terminal.
#ifndef LOCKSTEP_LIB_BASE_LOG_LINE_H_
#define LOCKSTEP_LIB_BASE_LOG_LINE_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Writes ReadableLine(text) and a line end to standard error. Writes nothing if IsQuiet(). A failure to write is
// ignored, because the run's result does not depend on the line. Thread-safe; lines of several threads are not mixed.
void LogLine(absl::string_view text);

// Writes ReadableText(text) in the same way; `text` must have its own line ends.
void LogText(absl::string_view text);

// Writes a warning or an error like LogLine, but also if IsQuiet().
void LogWarning(absl::string_view text);

// Turns off LogLine, LogText and Progress (progress.h) in this process and in its child processes, which inherit an
// environment variable. Must be called before any thread starts.
void SetQuiet();

// Returns true if this process or its parent process has called SetQuiet().
bool IsQuiet();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_LOG_LINE_H_
