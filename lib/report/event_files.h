// The stage of `report --tensorboard=FOLDER`: the epochs of each point that was trained, in a folder of its own.
#ifndef LOCKSTEP_LIB_REPORT_EVENT_FILES_H_
#define LOCKSTEP_LIB_REPORT_EVENT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/report/lab_records.h"

namespace lockstep {

struct TrainingEvents {
  std::string run;    // the folder's name, which TensorBoard shows: "scale.2_ranks.batch_128.all_reduce"; each its own
  std::string bytes;  // event_file.h
};

// One for each point of a sweep or a scaling run that has epochs, in order.
std::vector<TrainingEvents> EventsOf(const LabRecords& lab);

// Reads `inputs` and makes FOLDER/RUN/events.out.tfevents.lockstep again each time; folders are made. A file of other
// origin is replaced only if `force` is true. FailedPrecondition: nothing was trained. Errors as ReadLabRecords' and
// WriteWholeFile's.
absl::Status RunEventFiles(const std::vector<std::string>& inputs, const std::string& folder, bool force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_EVENT_FILES_H_
