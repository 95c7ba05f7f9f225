// A timeline of one step of each point, for ui.perfetto.dev: the phases of a mean step, together with the time in which
// each bucket of gradients was summed. Only measured times are drawn.
//
// A point is a process. Each rank has a line with the parts of its step, one after another. Rank 0 also has a line for
// each bucket, from the launch of its all-reduce to its end, relative to the start of backward as in the record.
// Source: "Trace Event Format" (Google, 2016), its complete events, in microseconds.
#ifndef LOCKSTEP_LIB_EXPORT_STEP_TRACE_H_
#define LOCKSTEP_LIB_EXPORT_STEP_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/lab_records/lab_records.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns the JSON. Returns FailedPreconditionError if no point of a sweep or of a scaling run has the parts of its
// steps.
absl::StatusOr<std::string> RenderStepTrace(const LabRecords& lab);

// The stage of `report --trace=FILE`: reads `inputs` and writes `output` again each time. A file that is not such a
// timeline is replaced only with kYes. Errors are those of ReadLabRecords, WriteWholeFile and RenderStepTrace.
absl::Status RunStepTrace(const std::vector<std::string>& inputs, const std::string& output, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_STEP_TRACE_H_
