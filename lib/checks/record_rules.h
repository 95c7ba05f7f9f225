// Rules for records that do not depend on the program that measured. A record that was written or edited manually is
// detected by numbers that cannot occur together.
//
// Every warning of a report (lib/warnings/warnings.h) is a rule here, with the same name and the same words.
#ifndef LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_
#define LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_

#include <vector>

#include "lib/checks/rules.h"
#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns the findings in the order of the files and their points.
std::vector<CheckFinding> CheckRecords(const LabRecords& lab);

// Append the findings of one file.
void CheckSweep(const LabSweep& sweep, std::vector<CheckFinding>& findings);
void CheckScale(const LabScale& scale, std::vector<CheckFinding>& findings);
void CheckCommModel(const LabCommModel& file, std::vector<CheckFinding>& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_RECORD_RULES_H_
