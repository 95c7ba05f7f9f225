// Formatting of an examination for people and for programs.
#ifndef LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
#define LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_

#include <string>

#include "lib/doctor/examination.pb.h"

namespace lockstep {

// Returns a line for each finding (state, area, what), its remedy below it, and a line for each use. Lines are broken
// at spaces to at most 120 columns; a path is left whole. Returns an empty text if there is neither a finding nor a
// use.
std::string ExaminationText(const proto::Examination& examination);

// Returns the findings that are a warning or an error, and the uses that will not work. Leaves out findings that are
// ABSENT and needed for no use.
proto::Examination OnlyTroubles(const proto::Examination& examination);

// Returns one JSON object: an Examination with all of its fields, under their names (lib/doctor/examination.proto).
std::string ExaminationJson(const proto::Examination& examination);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PRINT_EXAMINATION_H_
