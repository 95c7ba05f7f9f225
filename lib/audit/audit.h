// Recomputes every number of a published document and reports which convention gives each number, if any does.
//
// Numbers of one kind in one table (a column) are judged together, because a person fills a column with one formula.
// The convention of a column is believed if:
//   - it gives the most numbers of the column, and at least half of them, from all digits or from intermediates as
//     printed, rounded or cut off;
//   - it contradicts the fewest of the document's statements about itself (its parameter count, its gigabyte);
//   - it beats chance (lib/audit/chance.h): some convention that is at least as plain would give as many random
//     numbers in less than 1 % of cases (5 or 10 % if no formula was searched for).
// Another convention that gives a remaining number is believed for this number only if it beats chance for this number
// alone. Nothing is measured: the audit reports what a printed number follows from, not what would have been right.
//
// Numbers of few digits next to many tables therefore follow from nothing, even if they were computed correctly. If a
// right formula gives such a number, the finding is COULD_BE_CHANCE, and no slip is reported.
//
// A person may have computed with more digits than are printed. A number within the rounding of its inputs is therefore
// no error. Digits that were cut off and rounded intermediates are reported only if the whole column follows by them
// and longer inputs would give the same digits in less than 1 % of cases (lib/audit/trial.h).
//
// The quotient of a number and itself is no explanation. If a formula gives a number from inputs of its own table and
// from inputs of other tables, the number is attributed to its own table.
#ifndef LOCKSTEP_LIB_AUDIT_AUDIT_H_
#define LOCKSTEP_LIB_AUDIT_AUDIT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/audit/audit_budget.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns one AuditTable per table, and one AuditedValue per printed number, in the document's order. `tables` must
// have passed CheckPublishedTables (lib/published/published_check.h). Subtracts the number of recomputations from
// `budget`. Returns FailedPreconditionError if the budget does not suffice, and CancelledError after a stop signal.
//
// If a document has more than kAllSources columns of inputs of one kind, only the nearest ones are tried
// (Document::SourcesFor), because the number of conventions grows with the square of the number of inputs.
absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables, AuditBudget& budget);

// Does the same with a budget of its own.
absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_AUDIT_H_
