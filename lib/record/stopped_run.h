// What a stopped run leaves, for the line that says that it was stopped.
#ifndef LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
#define LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_

#include <string>

#include "absl/status/status.h"

namespace lockstep {

// `status` of a run that keeps a journal (record_writer.h) at OUTPUT.part: of a cancelled one the message also says
// whether the same command goes on, or that nothing was complete yet. Call it when the journal is closed.
absl::Status WithWhatIsKept(const absl::Status& status, const std::string& output);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
