// Tables of the time that single steps spent on communication: its spread, the reason why omitting all-reduces saves
// more than the exposed time, and the rank that the others waited for.
#ifndef LOCKSTEP_LIB_REPORT_STEP_TABLES_H_
#define LOCKSTEP_LIB_REPORT_STEP_TABLES_H_

#include <vector>

#include "lib/lab_records/scaling_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns three tables. The view must have a scale record. Empty if no point has step_figures, as in older records.
std::vector<proto::Table> StepTables(const ScalingView& view);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_STEP_TABLES_H_
