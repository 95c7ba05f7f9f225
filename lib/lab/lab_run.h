// Run of a lab: plans it, runs the tools as child processes, and makes the page again after each step.
#ifndef LOCKSTEP_LIB_LAB_LAB_RUN_H_
#define LOCKSTEP_LIB_LAB_LAB_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "lib/lab/lab_machine.h"
#include "lib/lab/lab_request.h"

namespace lockstep {

// Runs the whole lab. Prints the plan before the first measurement, and each command before it runs. After each step
// the remaining ones are planned again, and a change is printed with its cause. A step whose result exists is not run
// again by its tool. Returns
//   - InvalidArgumentError if the output's name is empty, if a path has a comma, if the folder cannot be made, and for
//     the reasons of PlanLab;
//   - CancelledError after a stop signal, with the step at which the same command continues;
//   - the error whose exit code is that of the tool that failed.
absl::Status RunLab(const LabRequest& request, const LabPlaces& places);

// Prints the commands and the plan on standard output, without running or writing anything. The images of --input are
// counted (CountDatasetFacts), and the CPU is assumed to be the one in the table of costs.
absl::Status PrintLabPlan(const LabRequest& request, const LabPlaces& places);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_RUN_H_
