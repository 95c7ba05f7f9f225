// A published table against the rules: what the audit (lib/audit) finds, under the rules' names, and what it does not
// judge: names of scaling, estimates among measurements, times with loading that are split.
#ifndef LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_
#define LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/audit/audit.h"
#include "lib/checks/rules.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns one finding for each rule and table that breaks it, with the first number that does and how many more. `tables`
// must have passed CheckPublishedTables (lib/published/published_check.h); `name` is the name of their file. Subtracts
// from `budget` what the audit took. Errors as Audit's (lib/audit/audit.h).
absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables,
                                                      AuditBudget& budget);

// Does the same with a budget of its own.
absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_
