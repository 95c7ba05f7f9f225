// A tool that links LibTorch is two programs: TOOL, which users call (front.cc), and libexec/TOOL, which does the work.
// What both need to know of the tool; TOOL_flags.cc defines it.
#ifndef LOCKSTEP_TOOLS_TWO_PROGRAMS_H_
#define LOCKSTEP_TOOLS_TWO_PROGRAMS_H_

#include "absl/status/status.h"
#include "lib/base/init_main.h"

namespace lockstep {

// The tool's name, description, examples and groups of flags, for ReadCommandLine.
ToolInfo DescribeTool();

// Checks all that can be said of the flags without LibTorch and without reading an input. InvalidArgument names the flag.
absl::Status CheckFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TWO_PROGRAMS_H_
