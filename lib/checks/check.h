// The stage of `report --check`: records and published tables in, broken rules out.
#ifndef LOCKSTEP_LIB_CHECKS_CHECK_H_
#define LOCKSTEP_LIB_CHECKS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/checks/junit.h"
#include "lib/checks/rules.h"
#include "lib/report/lab_records.h"

namespace lockstep {

struct CheckOptions {
  std::vector<std::string> inputs;  // NAME.csv and NAME.textproto are published tables, all others records
  std::string junit;   // path of the JUnit XML; empty: not written; "-": standard output, instead of the lines
  bool force = false;  // replace a file at `junit` that is no such XML
};

struct CheckedFiles {
  std::vector<CheckFinding> findings;
  CheckedKinds kinds;
  LabRecords lab;  // the records among them
};

// Reads and checks them. Errors as RunCheck's.
absl::StatusOr<CheckedFiles> CheckFiles(const std::vector<std::string>& paths);

// "FAILED parts_do_not_sum: sweep.rec, batch 32: ..." and "remark ...", a line each, then for each failed rule "RULE:
// what is wrong with such numbers". Empty when nothing was found.
std::string CheckText(const std::vector<CheckFinding>& findings);

// Rules that fail the check and are broken, in the order of CheckRules().
std::vector<std::string> FailedRules(const std::vector<CheckFinding>& findings);

// Prints CheckText on standard output, writes the XML, and says on stderr what was looked at. Aborted: some rule failed.
// InvalidArgument: no input. Other errors as ReadLabRecords, ReadPublishedTables and OutputFile.
absl::Status RunCheck(const CheckOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CHECK_H_
