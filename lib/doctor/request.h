// What the doctor is asked.
#ifndef LOCKSTEP_LIB_DOCTOR_REQUEST_H_
#define LOCKSTEP_LIB_DOCTOR_REQUEST_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/doctor/examination.pb.h"

namespace lockstep {

using UseKinds = std::vector<proto::DoctorUse::Kind>;

struct DoctorRequest {
  UseKinds uses;                // what must work; empty: nothing, every use is only judged
  std::string device = "auto";  // auto, cpu or cuda, as the tools take it
  std::string input;            // a dataset.rec, or what cifar_prep reads; empty: the usual places
  std::string output = ".";     // the folder where outputs will go
  absl::Duration timeout;       // each probe's, together: after it one that has not answered hangs
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_REQUEST_H_
