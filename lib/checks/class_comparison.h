// Comparison of the students of a class.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_

#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// Fills `copies`, `copy_count` and `copy_group` of each student. A file is a copy if a measured point, or the numbers
// of a table, equal another student's, whatever header, title and order say: two clocks never agree in all digits. The
// files of one student are not compared with each other; of equal parts, the first counts. `copies` of each owner names
// the other owners of the same parts, and how many parts of the file they are. `copy_count` counts only files of which
// an earlier student has a part, so that a pair counts once. Each copy names at most three others and the number of the
// rest, so that the text grows with the class and not with its square. A group holds all students who are connected by
// copies; groups are numbered by their first student.
void FindCopies(std::vector<ClassStudent>& students);

// Fills `outliers` of each student. A time is an outlier if its distance from the median of at least five students is
// more than three times 1.4826 of the median distance, and more than 10 %.
void FindOutliers(std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_
