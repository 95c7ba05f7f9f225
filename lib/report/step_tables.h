// What single steps spent on communication: their spread, why leaving all-reduces out saves more than is exposed, and which
// rank the others waited for.
#ifndef LOCKSTEP_LIB_REPORT_STEP_TABLES_H_
#define LOCKSTEP_LIB_REPORT_STEP_TABLES_H_

#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/scaling_view.h"

namespace lockstep {

// Three tables of a view with a scale record. None: no point has step_figures, as in older records.
std::vector<proto::Table> StepTables(const ScalingView& view);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_STEP_TABLES_H_
