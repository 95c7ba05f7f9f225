// Derives findings from the machine's facts, and from the findings the uses that work.
#ifndef LOCKSTEP_LIB_DOCTOR_EXAMINE_H_
#define LOCKSTEP_LIB_DOCTOR_EXAMINE_H_

#include "absl/status/status.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/examination.pb.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Judges the facts without access to the machine. `seconds` stays 0.
proto::Examination Examine(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                           Distribution distribution);

// Returns AbortedError, with the areas that prevent it, if a use that was asked for will not work.
absl::Status CheckAskedFor(const proto::Examination& examination);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_EXAMINE_H_
