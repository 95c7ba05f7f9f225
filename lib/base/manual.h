// Describes a tool for tools/manual.py, which makes manual pages and shell completion.
#ifndef LOCKSTEP_LIB_BASE_MANUAL_H_
#define LOCKSTEP_LIB_BASE_MANUAL_H_

#include <string>

#include "lib/base/help_text.h"

namespace lockstep {

// The value of --help that prints ManualJson. No list of groups names it, because no user needs it.
inline constexpr char kManualGroup[] = "manual";

// Returns one JSON object that describes a tool: name, version, summary, examples, groups of flags and exit codes. Of each
// flag it has:
//   name, help   as in --help
//   default      text of --help, which may be words: "6: a warm-up and --repeats"
//   range        " from 0 to 100", or empty
//   takes        "switch" (--NAME and --noNAME), "list" (values with commas between them) or "value"
//   words        values to complete (flag_words.h); of a switch none
std::string ManualJson(const ToolInfo& tool);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_MANUAL_H_
