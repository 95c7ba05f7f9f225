// Computing and communication times that were measured, not computed from the time of an epoch.
#ifndef LOCKSTEP_LIB_AUDIT_MEASURED_PARTS_H_
#define LOCKSTEP_LIB_AUDIT_MEASURED_PARTS_H_

#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Makes numbers of a column of computing or communication times given that were most likely measured. The column must
// have been judged. It was most likely measured if
// - it has 2 to 100 numbers, and none of them follows;
// - no plain formula gives half of its numbers at another place of the column, as after an exchange of rows or columns;
// - no plain formula gives all of its numbers up to a common factor, as after a wrong unit.
// A number that is not above 0, or longer than the whole time at its place, stays as it was judged.
void GiveMeasuredParts(const Document& document, const std::vector<Convention>& conventions,
                       const std::vector<Cell*>& cells, const std::vector<proto::AuditedValue*>& audited);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_MEASURED_PARTS_H_
