// A step of each point as a timeline that ui.perfetto.dev opens: what a mean step computed when, and beside it when each
// bucket of gradients was summed. Nothing is drawn that was not measured.
//
// A point is a process. Of it each rank has a line of its step's parts, one after another, and rank 0 a line a bucket,
// from the launch of its all-reduce to its end, counted from the start of backward as in the record. Source: "Trace Event
// Format" (Google, 2016), its complete events, in microseconds.
#ifndef LOCKSTEP_LIB_REPORT_STEP_TRACE_H_
#define LOCKSTEP_LIB_REPORT_STEP_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// JSON. FailedPrecondition: no point of a sweep or of a scaling run has the parts of its steps.
absl::StatusOr<std::string> RenderStepTrace(const LabRecords& lab);

// The stage of `report --trace=FILE`: reads `inputs` and makes `output` again each time. A file that is no such timeline
// is replaced only if `force` is true. Errors as ReadLabRecords', WriteWholeFile's and the above.
absl::Status RunStepTrace(const std::vector<std::string>& inputs, const std::string& output, bool force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_STEP_TRACE_H_
