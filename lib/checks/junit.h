// What a check found as JUnit XML, which continuous integration shows.
#ifndef LOCKSTEP_LIB_CHECKS_JUNIT_H_
#define LOCKSTEP_LIB_CHECKS_JUNIT_H_

#include <string>
#include <vector>

#include "lib/checks/rules.h"

namespace lockstep {

// Text in a comment by which a file is known as one of ours.
inline constexpr char kJunitMark[] = "made by Lockstep: report, junit";

// What was looked at: rules of the other kind are skipped.
struct CheckedKinds {
  bool records = false;
  bool tables = false;
};

// One testsuite with a testcase for each rule: failed with its findings, skipped, or passed. Remarks stand in the
// testcase's system-out. One line end behind each element; the same findings give the same bytes.
std::string JunitXml(const std::vector<CheckFinding>& findings, const CheckedKinds& kinds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_JUNIT_H_
