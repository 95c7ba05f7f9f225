// Records against the rules: what measured numbers say whatever made them. A record that a person wrote, or mended, is
// told from one that a tool wrote by numbers that cannot be together.
//
// What the warnings of a report say (lib/report/warnings.h) is a rule here, under the same name and in the same words.
#ifndef LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_
#define LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_

#include <vector>

#include "lib/checks/rules.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// In the order of the files and their points.
std::vector<CheckFinding> CheckRecords(const LabRecords& lab);

// The findings of one file, appended.
void CheckSweep(const LabSweep& sweep, std::vector<CheckFinding>& findings);
void CheckScale(const LabScale& scale, std::vector<CheckFinding>& findings);
void CheckCommModel(const LabCommModel& file, std::vector<CheckFinding>& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_
