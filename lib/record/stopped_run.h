// What a stopped run leaves, for the line that says that it was stopped.
#ifndef LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
#define LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// How far a run that keeps a journal (record_writer.h) at OUTPUT.part has come, in what its user counts. A run tells it
// as it goes.
struct FinishedWork {
  absl::string_view unit = "point";
  size_t finished = 0;    // units that the same command does not make again
  size_t planned = 0;     // of so many; 0: the journal was not opened yet
  std::string under_way;  // what is kept of the unit under way: "batch 8 after its last complete epoch"; empty: nothing
};

// `status` of such a run: of a cancelled one the message also says how far it has come, and from where the same command
// goes on. Call it when the journal is closed.
absl::Status WithWhatIsKept(const absl::Status& status, const std::string& output, const FinishedWork& work);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
