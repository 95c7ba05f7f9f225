// The stage of `report --tensorboard=FOLDER`: the epochs of each trained point, in one folder per point.
#ifndef LOCKSTEP_LIB_EXPORT_EVENT_FILES_H_
#define LOCKSTEP_LIB_EXPORT_EVENT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/lab_records/lab_records.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

struct TrainingEvents {
  std::string run;    // folder's name, which TensorBoard shows: "scale.2_ranks.batch_128.all_reduce"; unique
  std::string bytes;  // contents of the event file (event_file.h)
};

// Returns one element for each point of a sweep or a scaling run that has epochs, in order.
std::vector<TrainingEvents> EventsOf(const LabRecords& lab);

// Reads `inputs` and writes FOLDER/RUN/events.out.tfevents.lockstep again each time, with its folders. A file of other
// origin is replaced only with kYes. Returns FailedPreconditionError if nothing was trained, and the errors of
// ReadLabRecords and WriteWholeFile.
absl::Status RunEventFiles(const std::vector<std::string>& inputs, const std::string& folder, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_EVENT_FILES_H_
