// Request to the doctor.
#ifndef LOCKSTEP_LIB_DOCTOR_REQUEST_H_
#define LOCKSTEP_LIB_DOCTOR_REQUEST_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/doctor/examination.pb.h"

namespace lockstep {

using UseKinds = std::vector<proto::DoctorUse::Kind>;

struct DoctorRequest {
  UseKinds uses;                // uses that must work; empty: none must, and every use is only judged
  std::string device = "auto";  // auto, cpu or cuda, like the tools' flag
  std::string input;            // a dataset.rec, or an input of cifar_prep; empty: the usual places
  std::string output = ".";     // folder of future outputs
  absl::Duration timeout;       // time limit of all probes together; a probe that has not answered by then hangs
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_REQUEST_H_
