#include "lib/audit/audit.h"

#include "lib/audit/observed_audit.h"

namespace lockstep {

absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables) {
  AuditBudget budget;
  return Audit(tables, budget);
}

absl::StatusOr<std::vector<proto::AuditTable>> Audit(const proto::PublishedTables& tables, AuditBudget& budget) {
  return AuditObserved(tables, budget, nullptr);
}

}  // namespace lockstep
