// Numbers that repeat a number of another table, although the document does not mark them as repetitions.
#ifndef LOCKSTEP_LIB_AUDIT_REPEATED_H_
#define LOCKSTEP_LIB_AUDIT_REPEATED_H_

#include <vector>

#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Finds numbers of `quantity` that a right formula gives but that could be chance, and whose digits another table
// prints for the same place. If the number of the other table follows without a slip, these numbers repeat it, and
// follow, too.
// `audited` must hold one value per cell of the document, in the document's order; those of `quantity` must have been
// judged.
void FollowRepetitions(proto::PublishedQuantity quantity, Document& document,
                       std::vector<proto::AuditedValue>& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_REPEATED_H_
