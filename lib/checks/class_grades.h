// The verdicts on a class as CSV for a grade book.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_GRADES_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_GRADES_H_

#include <string>
#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// First line of the file.
inline constexpr char kGradesColumns[] =
    "folder,verdict,failures,broken_rules,remarks,answered,questions,copy_group,copies,outliers,unread,files,"
    "best_speedup,speedup_devices,fastest_epoch_seconds,mostly_equal,partly,wrong_numbers,"
    "speedups_above_devices,no_speedup_reason";

// Beginning of the first line, by which a file is recognised as replaceable. It is also that of files with fewer
// columns, which earlier versions wrote.
inline constexpr char kGradesMark[] = "folder,verdict,failures,broken_rules,remarks,answered,questions,copy_group";

// Returns a line for each student, in the order of `students` (RFC 4180). A number that a student does not have is an
// empty cell. Text that a spreadsheet would compute begins with an apostrophe (lib/base/csv_cell.h).
std::string GradesCsv(const std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_GRADES_H_
