// Rules for a published table: findings of the audit (lib/audit) under the rules' names, and checks that the audit does
// not make: names of scaling, estimates among measurements, a split of times with loading.
#ifndef LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_
#define LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/audit/audit.h"
#include "lib/checks/rules.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns one finding for each rule and table that breaks it, with the first wrong number and the count of the others.
// `tables` must have passed CheckPublishedTables (lib/published/published_check.h); `name` is the name of their file.
// Subtracts the audit's recomputations from `budget`. Appends to `refuted` the numbers that break a rule that fails.
// Returns the errors of Audit (lib/audit/audit.h).
absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables,
                                                      AuditBudget& budget, std::vector<proto::PublishedValue>& refuted);

// Does the same with a budget of its own, and without the list.
absl::StatusOr<std::vector<CheckFinding>> CheckTables(const std::string& name, const proto::PublishedTables& tables);

// Returns true if a printed speed-up over one device exceeds the number of devices, or an efficiency 100 %, by more
// than the rounding of its digits.
bool IsSpeedupAboveDevices(const proto::PublishedValue& value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_TABLE_RULES_H_
