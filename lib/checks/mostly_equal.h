// Search for files of different students whose measured numbers are mostly equal: copies with a few changed digits.
#ifndef LOCKSTEP_LIB_CHECKS_MOSTLY_EQUAL_H_
#define LOCKSTEP_LIB_CHECKS_MOSTLY_EQUAL_H_

#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// Fills `mostly_equal` of each student. A line is about a file, or about one table of it if only tables are mostly
// equal. The line of each owner names the other owners and the first differences to the one that differs least; at most
// three other owners and three differences are named, with the number of the rest. number_agreement.h has the rule.
// Files that share a point or a table are copies (class_comparison.h), and are not named here, too.
void FindMostlyEqual(std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_MOSTLY_EQUAL_H_
