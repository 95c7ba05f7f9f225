// Everything that is known about one student of a class, and the commands that check this student alone.
#ifndef LOCKSTEP_LIB_CHECKS_STUDENT_DETAILS_H_
#define LOCKSTEP_LIB_CHECKS_STUDENT_DETAILS_H_

#include <string>

#include "lib/checks/class_student.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a table whose caption is the student's name and verdict: findings, remarks, copies, outliers, files that were
// not checked, answered questions and commands. `id` must be unique on the page. Each number that breaks a rule that
// fails has a row, up to 500; other long lists show only their beginning.
proto::Table StudentDetails(const std::string& id, const std::string& class_folder, const ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_STUDENT_DETAILS_H_
