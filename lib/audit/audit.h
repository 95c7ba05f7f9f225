// Recomputes every number of a published document, and says which convention gives it, or that none does.
//
// Numbers of one kind in one table are judged together, because a person fills a column with one formula: the
// conventions that give the most of them are believed, whether all digits go in or intermediates as printed, rounded or
// cut off; of these, the ones that contradict the least of what the document says of itself (its parameter count, its
// gigabyte). They must give half of the numbers, and more than chance would (lib/audit/chance.h): with all conventions
// that are as plain, random numbers would follow in less than 1 % of cases. A number that they do not give, but another
// convention does, is believed to be that one only if the same holds for this number alone. Nothing here is measured: the
// audit says what a printed number follows from, not what would have been right.
//
// Numbers of few digits next to many tables therefore follow from nothing, even if they were computed rightly. If a
// right formula gives such a number, its finding is COULD_BE_CHANCE, and nobody is accused of anything.
//
// A person may have computed with more digits than are printed. A number within the rounding of its inputs is therefore
// no error, and digits cut off or rounded intermediates are said of a column only where all of it follows by them and
// longer inputs would give the same digits in less than 1 % of cases (lib/audit/trial.h).
//
// A quotient of a number and itself is no explanation. Where a formula gives a number by inputs of its own table and by
// those of others, it is made of its own table's.
#ifndef LOCKSTEP_LIB_AUDIT_AUDIT_H_
#define LOCKSTEP_LIB_AUDIT_AUDIT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of recomputations (a convention for a number) in the audits that share one AuditBudget. The documents of
// data/published take 93,245 at most (hand_in_003). A million takes 0.5 to 1.6 s (AMD EPYC,
// 2026-11-27).
inline constexpr uint64_t kMaxRecomputations = 3'000'000;

// Number of recomputations that are left. One budget may be shared by all documents of one author.
struct AuditBudget {
  uint64_t recomputations = kMaxRecomputations;
};

// Returns one AuditTable per table, and one AuditedValue per printed number, in the document's order. `tables` must have
// passed CheckPublishedTables (lib/published/published_check.h). Subtracts from `budget` what was recomputed. Returns
// FailedPreconditionError if the budget does not suffice, and CancelledError after a stop signal.
//
// A document with more than kAllSources columns of inputs of one kind is tried with the nearest ones only
// (Document::SourcesFor), because the number of conventions grows with the square of the number of inputs.
absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables, AuditBudget& budget);

// Does the same with a budget of its own.
absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_AUDIT_H_
