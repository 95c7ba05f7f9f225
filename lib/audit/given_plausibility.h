// What numbers that were read off say by themselves: times that no device can reach, whole seconds, batches beyond the
// data.
#ifndef LOCKSTEP_LIB_AUDIT_GIVEN_PLAUSIBILITY_H_
#define LOCKSTEP_LIB_AUDIT_GIVEN_PLAUSIBILITY_H_

#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Adds flags and sentences to one number whose finding is GIVEN.
void RemarkOnGiven(const Document& document, const Cell& cell, proto::AuditedValue& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_GIVEN_PLAUSIBILITY_H_
