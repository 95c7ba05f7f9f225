// Checks of the images: a dataset.rec, or a CIFAR-10 that cifar_prep can convert to one.
#ifndef LOCKSTEP_LIB_DOCTOR_DATA_SET_H_
#define LOCKSTEP_LIB_DOCTOR_DATA_SET_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Examines --input, or the first of UsualPlaces that exists. Reads a record file whole.
void ProbeDataSet(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the area "data", which training and scaling need.
void JudgeDataSet(const proto::MachineFacts& facts, FindingList& findings);

// Returns the paths in the caller's folder where README.md's commands put the data, and LOCKSTEP_CIFAR10's value if
// set.
std::vector<std::string> UsualPlaces();

// Returns "gzip archive", "xz archive" or "tar archive", by a file's first bytes; empty: no such archive.
std::string ArchiveKind(absl::string_view first_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_DATA_SET_H_
