// The doctor: asks the machine, judges, prints.
#ifndef LOCKSTEP_LIB_DOCTOR_DOCTOR_H_
#define LOCKSTEP_LIB_DOCTOR_DOCTOR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/doctor/request.h"

namespace lockstep {

struct DoctorOptions {
  DoctorRequest request;
  std::vector<std::string> flags;  // that the probes are started with: those that the request was made of
  bool json = false;               // print one JSON object instead of lines
};

// Prints the examination on standard output; with --quiet only its troubles (print_examination.h), unless `json`. Aborted:
// something that the request asks for will not work. Other errors as AskMachine's and PrintToStdout's.
absl::Status RunDoctor(const DoctorOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DOCTOR_H_
