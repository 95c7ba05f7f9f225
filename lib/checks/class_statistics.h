// Statistics of a class: quartiles of the main figures, and the number of students who answered each question.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_STATISTICS_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_STATISTICS_H_

#include <vector>

#include "lib/checks/class_student.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

struct Quartiles {
  double first = 0;
  double median = 0;
  double third = 0;
};

// Returns the quartiles of `values`, which must not be empty: the values at 1/4, 1/2 and 3/4 of the way from the
// smallest to the largest, interpolated between neighbours (like numpy.quantile).
Quartiles QuartilesOf(std::vector<double> values);

// Returns the fastest epoch on one device, the best speed-up for each number of devices and the number of answered
// questions: students, lowest, quartiles, highest.
proto::Table FiguresTable(const std::vector<ClassStudent>& students);

// Returns a row for each question of the lab: the question, and how many students answered it, and how many did partly.
proto::Table AnsweredTable(const std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_STATISTICS_H_
