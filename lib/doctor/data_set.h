// The images: a dataset.rec, or a CIFAR-10 that cifar_prep makes one of.
#ifndef LOCKSTEP_LIB_DOCTOR_DATA_SET_H_
#define LOCKSTEP_LIB_DOCTOR_DATA_SET_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Looks at --input, or for the first of UsualPlaces. A record file is read whole.
void ProbeDataSet(const DoctorRequest& request, ProbeAnswer& answer);

// The area "data". Needed to train and to scale.
void JudgeDataSet(const proto::MachineFacts& facts, FindingList& findings);

// Where README.md's commands put the data, in the caller's folder; and LOCKSTEP_CIFAR10's value where it is set.
std::vector<std::string> UsualPlaces();

// "gzip archive", "xz archive" or "tar archive", by a file's first bytes; empty: none of them.
std::string ArchiveKind(absl::string_view first_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DATA_SET_H_
