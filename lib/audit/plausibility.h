// What printed numbers say whatever formula made them: parts that do not sum, clocks that cannot be, times printed
// twice.
#ifndef LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_
#define LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_

#include <vector>

#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Adds flags and sentences to `audited`, one per cell of the document, in its order. Findings are there already.
void RemarkOnPlausibility(const Document& document, std::vector<proto::AuditedValue>& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_
