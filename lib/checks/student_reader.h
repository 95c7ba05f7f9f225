// The files of one student, read and checked.
#ifndef LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_
#define LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_

#include "absl/status/status.h"
#include "lib/audit/audit.h"
#include "lib/checks/class_files.h"
#include "lib/checks/class_student.h"

namespace lockstep {

// Reads the files of `folder`, one of class_files.students(), and checks them together. Appends to `student` what was found,
// what could not be read and what was left out. Subtracts from `budget` what the audits of tables took; a table beyond it is
// named as one that could not be read. Returns CancelledError after a stop signal.
absl::Status ReadStudent(ClassFiles& class_files, const StudentFolder& folder, AuditBudget& budget,
                         ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_STUDENT_READER_H_
