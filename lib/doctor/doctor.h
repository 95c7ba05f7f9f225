// The doctor: runs the probes, judges their facts, and prints the result.
#ifndef LOCKSTEP_LIB_DOCTOR_DOCTOR_H_
#define LOCKSTEP_LIB_DOCTOR_DOCTOR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/doctor/request.h"

namespace lockstep {

struct DoctorOptions {
  DoctorRequest request;
  std::vector<std::string> flags;  // flags for the probes: those from which the request was made
  bool json = false;               // prints one JSON object instead of lines
};

// Prints the examination on standard output; with --quiet only its troubles (print_examination.h), unless `json`.
// Returns AbortedError if something that the request asks for will not work, and the errors of AskMachine and
// PrintToStdout.
absl::Status RunDoctor(const DoctorOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DOCTOR_H_
