// Run of one step of the lab as a child process.
#ifndef LOCKSTEP_LIB_LAB_LAB_STEP_RUN_H_
#define LOCKSTEP_LIB_LAB_LAB_STEP_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "lib/lab/lab_request.h"
#include "lib/lab/lab_unit.h"

namespace lockstep {

// Runs the step's command with the tool in `tools`, and waits for its end. The tool prints its own progress and errors.
// A derived record of another command is replaced (--force). Returns the error whose exit code is that of the tool, and
// CancelledError after a stop signal.
absl::Status RunLabStep(const std::string& tools, const LabStep& step);

// Makes the page in the same way, without printing anything. A page that cannot be made is no error, because the last
// step makes it again. Returns true if it was made.
bool MakePageQuietly(const std::string& tools, const LabStep& report);

// Returns the error of a step with its place in the lab: "step 3 of 12". If the lab was stopped, the error names the
// command that continues: the same one, but without --force, which would start again.
absl::Status InStep(const LabRequest& request, const absl::Status& status, const std::string& where);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_STEP_RUN_H_
