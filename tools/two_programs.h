// Interface of the two programs of a tool that links LibTorch: TOOL, which users call (front.cc), and libexec/TOOL,
// which does the work. TOOL_flags.cc defines these functions.
#ifndef LOCKSTEP_TOOLS_TWO_PROGRAMS_H_
#define LOCKSTEP_TOOLS_TWO_PROGRAMS_H_

#include "absl/status/status.h"
#include "lib/base/init_main.h"

namespace lockstep {

// Returns the tool's name, description, examples and groups of flags, for ReadCommandLine.
ToolInfo DescribeTool();

// Checks the flags as far as possible without LibTorch and without reading an input. InvalidArgument, naming the flag.
absl::Status CheckFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_TOOLS_TWO_PROGRAMS_H_
