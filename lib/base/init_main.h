// The beginning of every tool's main: flags, --help, the caller's folder, signals.
#ifndef LOCKSTEP_LIB_BASE_INIT_MAIN_H_
#define LOCKSTEP_LIB_BASE_INIT_MAIN_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/help_text.h"

namespace lockstep {

// Parses argv[1..] against the Abseil flags that are defined, and returns the positional arguments.
//
// Takes --name=value, --name value, --name and --noname for booleans, and -- to end the flags; "-" is a positional
// argument. InvalidArgument names the flag that is unknown, and the one that was probably meant; or that lacks a value, or whose value does not parse or is outside
// of its range (flag_range.h); also a list (of texts, with commas between them) with an empty element. A list without
// any is empty.
absl::StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args);

// The text that each flag has after such arguments, its default where they give none; a switch's is "true" or "false".
// Sets no flag, and leaves out what ParseFlags would refuse.
std::map<std::string, std::string> FlagTexts(const std::vector<std::string>& args);

// For a main that checks its command line and hands it to another program. Ends the process with 1 when a number flag has
// no range, or a flag no group; prints help and exits 0 at --help, --help=GROUP (and --version), or 5 when it cannot be
// printed; exits 2 with one line when a flag is wrong, or an argument is no flag.
//
// Before that it ignores SIGPIPE, and sees to it that no file is opened as a standard stream that the caller closed.
// --quiet, a flag of every tool, calls SetQuiet (log_line.h).
// After it enters the caller's folder (callers_folder.h), or exits 5.
void ReadCommandLine(const ToolInfo& tool, int argc, char** argv);

// For any other main: ReadCommandLine. Then it exits 5 when the stack may not grow to 128 KiB (ulimit -s), silences
// protobuf's own remarks on bytes that do not parse (an error is one line, and the tool's), and installs the stop
// signals.
void InitMain(const ToolInfo& tool, int argc, char** argv);

// argv as given to InitMain, with argv[0] replaced by the tool's name; for the record's header.
const std::vector<std::string>& CommandLine();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_INIT_MAIN_H_
