// The students of a class, compared with each other.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_

#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// Fills `copies` and `copy_count` of each student. A file is a copy if its measured points, or a table's bytes, are another
// student's, under whatever header: two clocks never agree in all digits. The files of one student are not compared with
// each other, and of equal ones the first counts. `copies` of every owner names the others; `copy_count` counts only those
// that a student before this one has, so that a pair counts once. Each copy names three others at most, and how many there
// are, so that the text grows with the class and not with its square.
void FindCopies(std::vector<ClassStudent>& students);

// Fills `outliers` of each student. A time is an outlier if it is further from the median of at least five students than
// three times 1.4826 of the median distance, and than 10 %.
void FindOutliers(std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_COMPARISON_H_
