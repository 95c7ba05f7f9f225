// Verdict on each student of a class, and the order in which a teacher reads them.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_VERDICT_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_VERDICT_H_

#include <string>
#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// Worst finding on a student, the most severe first.
enum class ClassVerdict { kBrokenRules, kCopy, kMostlyEqual, kUnreadable, kOutlier, kFine };
inline constexpr ClassVerdict kClassVerdicts[] = {ClassVerdict::kBrokenRules, ClassVerdict::kCopy,
                                                  ClassVerdict::kMostlyEqual, ClassVerdict::kUnreadable,
                                                  ClassVerdict::kOutlier,     ClassVerdict::kFine};

// Returns "broken rules", "copy", "mostly equal", "cannot be read", "far from the class" or "fine".
const char* VerdictName(ClassVerdict verdict);

// Returns true if a student has a finding of this kind, whatever the verdict. kUnreadable is a file that cannot be
// read, or no record or table at all. Every student has kFine.
bool HasFinding(const ClassStudent& student, ClassVerdict finding);

// Returns the first of kClassVerdicts that HasFinding finds.
ClassVerdict VerdictOf(const ClassStudent& student);

// Returns true if a student has neither records nor tables, and none that cannot be read.
bool HasNothing(const ClassStudent& student);

// Returns the students ordered by verdict; those with more broken rules first; then as in `students`, which must
// outlive the result.
std::vector<const ClassStudent*> BySeverity(const std::vector<ClassStudent>& students);

// Returns a line for each file that cannot be read, with reason and remedy; for a student without records and tables,
// what is there instead.
std::vector<std::string> UnreadTexts(const ClassStudent& student);

// Returns a line for each reason of a verdict, the most severe first: broken rules, copies with their group, mostly
// equal numbers, files that cannot be read with the remedy, outliers; then remarks on speed-ups above the
// number of devices, which a fine student may have, too.
std::vector<std::string> ReasonsOf(const ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_VERDICT_H_
