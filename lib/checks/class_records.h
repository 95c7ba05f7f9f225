// The records and tables of a class: the errors of each student, students with equal or mostly equal numbers, and times
// that are far from those of the others.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/checks/class_files.h"
#include "lib/checks/class_student.h"

namespace lockstep {

// Largest number of recomputations (lib/audit/audit.h) for the tables of one student, and of the whole class: 2 s and
// 15 s.
inline constexpr uint64_t kMaxStudentRecomputations = 1'500'000;
inline constexpr uint64_t kMaxClassRecomputations = 10'000'000;

// Reads and checks the files of every student of `class_files`, and compares the students. The result has one element
// per folder, whatever is in it, ordered by name. Returns CancelledError after a stop signal.
absl::StatusOr<std::vector<ClassStudent>> CheckClass(ClassFiles& class_files);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_
