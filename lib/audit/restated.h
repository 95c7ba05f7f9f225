// Judges numbers that repeat another number of the document.
#ifndef LOCKSTEP_LIB_AUDIT_RESTATED_H_
#define LOCKSTEP_LIB_AUDIT_RESTATED_H_

#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Judges a number that repeats another one: the printed digits must be those of the other number, or its first ones.
// Sets `cell.repeats` or `cell.contradiction`.
void JudgeRestated(const Document& document, Cell& cell, proto::AuditedValue& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_RESTATED_H_
