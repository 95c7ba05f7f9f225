// Checks of printed numbers, whatever formula made them. Several numbers: parts that do not sum, impossible clocks,
// numbers printed twice. One number: speed-ups above N, efficiencies above 100 %. One number that was read off: times
// that no device can reach, whole seconds, batches beyond the data.
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

// Flags a number above the limit of its kind (a speed-up above N) if it does not follow or was read off. If the number
// follows, adds a sentence without a flag. Adds nothing to a number that has a flag, because a slip explains it.
void RemarkOnLimits(const Document& document, const Cell& cell, proto::AuditedValue& audited);

// Flags a number if another table prints another value of the same quantity at its place. Rates and iteration times are
// not compared, because papers give each model a table of its own.
void RemarkOnSecondValues(const Document& document, const Cell& cell, proto::AuditedValue& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PLAUSIBILITY_H_
