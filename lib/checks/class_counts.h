// Counts of a class: the only source of the numbers on the terminal and on the page's card.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_COUNTS_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_COUNTS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/checks/class_student.h"
#include "lib/checks/class_verdict.h"

namespace lockstep {

struct ClassCounts {
  size_t students = 0;
  // Number of students with each verdict; the numbers add up to `students`. Every verdict has a number, except
  // kMostlyEqual without a student.
  std::map<ClassVerdict, size_t> by_verdict;
  // Number of students with a finding of this kind next to a more severe one. A kind without a student is left out.
  std::map<ClassVerdict, size_t> next_to_worse;
  size_t without_files = 0;     // students without a record or table; their verdict is kUnreadable
  size_t sharing_students = 0;  // students who share numbers, whatever their verdict
  size_t copy_groups = 0;       // groups of these students
  size_t copied_files = 0;      // files whose numbers an earlier student has, too
};

ClassCounts CountClass(const std::vector<ClassStudent>& students);

// Returns "30 students: broken rules 2, copy 6 (1 of them under a more severe verdict), cannot be read 6 (2 without a
// record or table), far from the class 1, fine 16; 6 students in 2 groups share numbers (4 copied files); next to a
// more severe finding: cannot be read 1". "copy" counts all students who share numbers, whatever their verdict.
std::string CountsText(const ClassCounts& counts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_COUNTS_H_
