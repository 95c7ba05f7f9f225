// Start of every tool's main: flags, --help, the caller's folder, signals.
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
// Accepts --name=value, --name value, --name and --noname for booleans, and -- to end the flags; "-" is a positional
// argument. An empty value of a list (texts separated by commas) is an empty list. Returns InvalidArgumentError if a
//   - flag is unknown (the message suggests the most similar name),
//   - flag lacks a value,
//   - value does not parse or is outside the flag's range (flag_range.h),
//   - list has an empty element.
absl::StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args);

// Returns the text of each flag's value after such arguments, or of its default if they do not give the flag. A boolean
// is "true" or "false". Sets no flag. Skips positional arguments, and arguments that name no flag or
// lack a value.
std::map<std::string, std::string> FlagTexts(const std::vector<std::string>& args);

// Reads the command line, for a main that passes it on to another program. In this order:
//   1. Makes sure that no file is opened as a standard stream that the caller closed. Ignores SIGPIPE and SIGXFSZ.
//   2. Exits 1 if the tool's groups of flags are wrong (CheckGroups in help_text.h), such as a flag without a group.
//   3. At --help, --help=GROUP and --version, prints the text and exits 0, or 5 if the text cannot be printed. Exits 2
//      if there is no such group.
//   4. Exits 1 if a number flag has no range.
//   5. Exits 2 with one line if a flag is wrong, or if an argument is not a flag and the tool takes no such arguments.
//   6. Calls SetQuiet (log_line.h) if --quiet, a flag of every tool, is given.
//   7. Enters the caller's folder (callers_folder.h), or exits 2.
void ReadCommandLine(const ToolInfo& tool, int argc, char** argv);

// Starts any other main: calls ReadCommandLine, exits 5 if the stack may not grow to 128 KiB (ulimit -s), turns off
// protobuf's log (an error is one line, printed by the tool), and installs the stop signals (stop_signal.h).
void InitMain(const ToolInfo& tool, int argc, char** argv);

// Returns the arguments of the command line that are not flags, in their order. Empty if the tool takes no such
// arguments.
const std::vector<std::string>& PositionalArguments();

// Returns argv as given to InitMain, with argv[0] replaced by the tool's name. Used in the record's header.
const std::vector<std::string>& CommandLine();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_INIT_MAIN_H_
