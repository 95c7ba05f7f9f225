// Output of a program.
#ifndef LOCKSTEP_LIB_DOCTOR_ASK_PROGRAM_H_
#define LOCKSTEP_LIB_DOCTOR_ASK_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace lockstep {

struct ProgramOutput {
  bool ended_well = false;  // true if the program ended in time, with exit code 0
  std::string text;         // standard output and standard error
};

// Starts argv[0], a path or a name in PATH, in the root folder, with `environment` added to this process's own, and
// waits for its end. `argv` must not be empty. A program that writes more than 1 MiB is ended, and its text is empty.
ProgramOutput AskProgram(const std::vector<std::string>& argv, absl::Duration timeout,
                         const std::vector<std::pair<std::string, std::string>>& environment = {});

// Returns the path of a program in PATH; empty if there is none.
std::string FindProgram(const std::string& name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_ASK_PROGRAM_H_
