// Lines that a tool prints about its own work, on standard error.
//
// Every such line of lib/ and tools/ goes through these functions (tests/layers_test.py), because a path, a name in a
// record or the name of another host could otherwise control the terminal.
#ifndef LOCKSTEP_LIB_BASE_LOG_LINE_H_
#define LOCKSTEP_LIB_BASE_LOG_LINE_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Writes ReadableLine(text) and a line end to standard error. Writes nothing if IsQuiet(). A failure to write is ignored:
// the run's result is as good without the line. Thread-safe; lines of several threads are not mixed.
void LogLine(absl::string_view text);

// Writes ReadableText(text), which has its own line ends, in the same way.
void LogText(absl::string_view text);

// Writes a warning or an error like LogLine, also if IsQuiet().
void LogWarning(absl::string_view text);

// Turns off LogLine, LogText and Progress (progress.h) in this process and in the processes that it starts, which inherit
// an environment variable. Must be called before any thread starts.
void SetQuiet();

// Returns true after SetQuiet(), here or in the process that started this one.
bool IsQuiet();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_LOG_LINE_H_
