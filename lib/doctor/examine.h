// From what the machine answered to findings, and from those to what works.
#ifndef LOCKSTEP_LIB_DOCTOR_EXAMINE_H_
#define LOCKSTEP_LIB_DOCTOR_EXAMINE_H_

#include "absl/status/status.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/examination.pb.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks nothing of the machine. `seconds` stays 0.
proto::Examination Examine(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                           bool portable);

// Aborted: something that was asked for will not work; names it and the areas in its way.
absl::Status CheckAskedFor(const proto::Examination& examination);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_EXAMINE_H_
