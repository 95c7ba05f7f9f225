// Limit of the work of an audit.
#ifndef LOCKSTEP_LIB_AUDIT_AUDIT_BUDGET_H_
#define LOCKSTEP_LIB_AUDIT_AUDIT_BUDGET_H_

#include <cstdint>

namespace lockstep {

// Largest number of recomputations (one convention evaluated for one number) in the audits that share an AuditBudget.
// The documents of data/published needed at most 93,245 (hand_in_003) on that day. A million takes
// 0.5 to 1.6 s (AMD EPYC, 2026-11-27).
inline constexpr uint64_t kMaxRecomputations = 3'000'000;

// Number of recomputations that are left. All documents of one author may share one budget.
struct AuditBudget {
  uint64_t recomputations = kMaxRecomputations;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_AUDIT_BUDGET_H_
