// Findings of a check as JUnit XML, which continuous integration displays.
#ifndef LOCKSTEP_LIB_CHECKS_JUNIT_H_
#define LOCKSTEP_LIB_CHECKS_JUNIT_H_

#include <string>
#include <vector>

#include "lib/checks/rules.h"

namespace lockstep {

// Text in a comment that identifies a file as Lockstep's.
inline constexpr char kJunitMark[] = "made by Lockstep: report, junit";

// Kinds of inputs that were checked. Rules for other kinds are skipped.
struct CheckedKinds {
  bool records = false;
  bool tables = false;
};

// Returns one testsuite with a testcase for each rule: failed with its findings, skipped, or passed. Remarks are in the
// testcase's system-out. There is one line end after each element; the same findings give the same bytes.
std::string JunitXml(const std::vector<CheckFinding>& findings, const CheckedKinds& kinds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_JUNIT_H_
