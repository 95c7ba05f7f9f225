// The audit of a document with a function that sees every column that was judged, for explanations of single numbers.
#ifndef LOCKSTEP_LIB_AUDIT_OBSERVED_AUDIT_H_
#define LOCKSTEP_LIB_AUDIT_OBSERVED_AUDIT_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/audit/audit_budget.h"
#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Numbers that were judged together, with the conventions that were tried. All of it is valid during one call only.
struct JudgedColumn {
  const Document& document;
  const std::vector<Convention>& conventions;
  const std::vector<Cell*>& cells;
};

using ColumnObserver = std::function<void(const JudgedColumn&)>;

// Does the same as Audit (lib/audit/audit.h), and calls `observe`, unless it is null, after each column was judged.
// Numbers that need no formula are in no column.
absl::StatusOr<std::vector<proto::AuditTable>> AuditObserved(const proto::PublishedTables& tables, AuditBudget& budget,
                                                             const ColumnObserver& observe);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_OBSERVED_AUDIT_H_
