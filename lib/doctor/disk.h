// Checks of the disk that will hold outputs.
#ifndef LOCKSTEP_LIB_DOCTOR_DISK_H_
#define LOCKSTEP_LIB_DOCTOR_DISK_H_

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Writes a file without a name into --output and syncs the file.
void ProbeDisk(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the area "disk", which every use needs.
void JudgeDisk(const proto::MachineFacts& facts, FindingList& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DISK_H_
