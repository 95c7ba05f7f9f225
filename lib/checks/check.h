// The stage of `report --check`: reads records and published tables, and reports broken rules.
#ifndef LOCKSTEP_LIB_CHECKS_CHECK_H_
#define LOCKSTEP_LIB_CHECKS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/checks/junit.h"
#include "lib/checks/rules.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/published.pb.h"
#include "lib/published/table_files.h"

namespace lockstep {

struct CheckOptions {
  std::vector<std::string> inputs;  // published tables (IsPublishedTable), and records
  std::string junit;       // path of the JUnit XML; empty: not written; "-": standard output, instead of the lines
  bool force = false;      // replaces a file at `junit` that is not such an XML
  TableFiles tables = {};  // inputs that were read when their folder was listed
};

struct CheckedFiles {
  std::vector<CheckFinding> findings;
  CheckedKinds kinds;
  LabRecords lab;                        // the records among the inputs
  std::vector<std::string> tables_read;  // "hand_in.csv: Q2: 2 numbers; Table 2: 2 numbers", for each file of tables
};

// Reads and checks the files, except those that `tables` has read before. Returns the errors of RunCheck.
absl::StatusOr<CheckedFiles> CheckFiles(const std::vector<std::string>& paths, const TableFiles& tables = {});

// Returns "Q2: 2 numbers", or "epoch_time: 3 runs, 15 epochs" for a chart of runs; the tables are separated by "; ".
std::string NumbersReadText(const proto::PublishedTables& tables);

// Returns "FAILED parts_do_not_sum: sweep.rec, batch 32: ..." and "remark ...", a line each, then for each failed rule
// "RULE: what is wrong with such numbers". Returns an empty text if there are no findings.
std::string CheckText(const std::vector<CheckFinding>& findings);

// Returns the broken rules that fail the check, in the order of CheckRules().
std::vector<std::string> FailedRules(const std::vector<CheckFinding>& findings);

// Prints CheckText on standard output, writes the XML, and writes on stderr what was read of each table. Returns
// AbortedError if a rule failed, InvalidArgumentError without input, and the errors of ReadLabRecords,
// ReadPublishedTables and OutputFile.
absl::Status RunCheck(const CheckOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CHECK_H_
