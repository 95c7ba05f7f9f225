// An examination as people and as programs read it.
#ifndef LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
#define LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_

#include <string>

#include "lib/doctor/examination.pb.h"

namespace lockstep {

// A line for each finding (state, area, what), its mend below it, and a line for each use. Lines are broken at spaces
// to at most 120 columns; a path is left whole.
std::string ExaminationText(const proto::Examination& examination);

// One JSON object: Examination with the names of its fields (lib/doctor/examination.proto), all of them.
std::string ExaminationJson(const proto::Examination& examination);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
