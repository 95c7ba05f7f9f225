// Checks of printed numbers, whatever formula made them. Several numbers: parts that do not sum, impossible clocks,
// times printed twice. One number that was read off: times that no device can reach, whole seconds, batches beyond the
// data.
#ifndef LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_
#define LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_

#include <vector>

#include "absl/status/status.h"
#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Adds flags and sentences to `audited`, which must hold one value with a finding per cell of the document, in the
// document's order. Returns CancelledError after a stop signal.
absl::Status RemarkOnPlausibility(const Document& document, std::vector<proto::AuditedValue>& audited);

// Adds flags and sentences to one number that was read off: its finding is GIVEN, or it is a total of phases.
void RemarkOnGiven(const Document& document, const Cell& cell, proto::AuditedValue& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_
