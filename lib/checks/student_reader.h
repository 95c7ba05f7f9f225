// Reader and checker of one student's files.
#ifndef LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_
#define LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_

#include "absl/status/status.h"
#include "lib/audit/audit.h"
#include "lib/checks/class_files.h"
#include "lib/checks/class_student.h"

namespace lockstep {

// Reads and checks the files of `folder`, which must be one of class_files.students(). Appends to `student` the
// findings, the files that could not be read, and those that are not used. Subtracts the audits' recomputations from
// `budget`; a table beyond it is listed as one that could not be read. Returns CancelledError after a stop signal.
absl::Status ReadStudent(ClassFiles& class_files, const StudentFolder& folder, AuditBudget& budget,
                         ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_
