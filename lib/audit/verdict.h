// Judgement of one column of printed numbers, given the conventions that may have made it.
#ifndef LOCKSTEP_LIB_AUDIT_VERDICT_H_
#define LOCKSTEP_LIB_AUDIT_VERDICT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Fills the finding, the candidates, the sentence and the convention's flags of each cell of a column, and sets
// `unrounded` of the cells that were reproduced. `cells` and `audited` must have the same length. A column is the cells
// of one table that have the same quantity and base case. lib/audit/audit.h has the rule.
void JudgeColumn(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells,
                 const std::vector<proto::AuditedValue*>& audited);

// Adds a flag, unless it is there already, and a sentence.
void Remark(proto::AuditedValue& audited, absl::string_view flag, absl::string_view sentence);

// Returns printed / value: 1 if they are equal, and 0 if only `value` is 0.
double Ratio(double printed, double value);

// Formats `value` with nine significant digits: more than tables print, and too few to show a double's rounding errors.
std::string Digits(double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_VERDICT_H_
