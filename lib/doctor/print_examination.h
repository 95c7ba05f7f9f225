// An examination as people and as programs read it.
#ifndef LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
#define LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_

#include <string>

#include "lib/doctor/examination.pb.h"

namespace lockstep {

// A line for each finding (state, area, what), its mend below it, and a line for each use. Lines are broken at spaces
// to at most 120 columns; a path is left whole. Returns an empty text if there is neither a finding nor a use.
std::string ExaminationText(const proto::Examination& examination);

// The findings that are a warning or an error, and the uses that will not work. What is absent and needed for nothing is
// left out.
proto::Examination OnlyTroubles(const proto::Examination& examination);

// One JSON object: Examination with the names of its fields (lib/doctor/examination.proto), all of them.
std::string ExaminationJson(const proto::Examination& examination);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
