// Description of a tool for tools/manual.py, which makes manual pages and shell completion.
#ifndef LOCKSTEP_LIB_BASE_MANUAL_H_
#define LOCKSTEP_LIB_BASE_MANUAL_H_

#include <string>

#include "lib/base/help_text.h"

namespace lockstep {

// Value of --help that prints ManualJson. No list of groups names it, because no user needs it.
inline constexpr char kManualGroup[] = "manual";

// Returns one JSON object that describes a tool: name, version, summary, examples, groups of flags and exit codes. Each
// flag has the members:
//   name, help   texts of --help
//   default      text of --help, which may be words: "6: a warm-up and --repeats"
//   range        " from 0 to 100", or empty
//   takes        "switch" (--NAME and --noNAME), "list" (values separated by commas) or "value"
//   words        values for completion (flag_words.h); empty for a switch
std::string ManualJson(const ToolInfo& tool);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_MANUAL_H_
