#include "lib/checks/class_records.h"

#include <algorithm>

#include "lib/audit/audit.h"
#include "lib/base/status_macros.h"
#include "lib/checks/class_comparison.h"
#include "lib/checks/mostly_equal.h"
#include "lib/checks/student_reader.h"

namespace lockstep {

absl::StatusOr<std::vector<ClassStudent>> CheckClass(ClassFiles& class_files) {
  std::vector<ClassStudent> students;
  uint64_t recomputations = kMaxClassRecomputations;
  for (const StudentFolder& folder : class_files.students()) {
    ClassStudent& student = students.emplace_back();
    student.name = folder.name;
    student.unreadable = folder.unreadable;
    student.other_files = folder.other_files;
    student.other_file_count = folder.other_file_count;
    AuditBudget budget;
    const uint64_t given = budget.recomputations = std::min(recomputations, kMaxStudentRecomputations);
    RETURN_IF_ERROR(ReadStudent(class_files, folder, budget, student));
    recomputations -= given - budget.recomputations;
  }
  FindCopies(students);
  FindMostlyEqual(students);
  FindOutliers(students);
  return students;
}

}  // namespace lockstep
