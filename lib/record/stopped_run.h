// Text about the finished work of a stopped run, for the message that the run was stopped.
#ifndef LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
#define LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Progress of a run that keeps a journal (record_writer.h) at OUTPUT.part, in units that the user knows. The run
// updates this struct while it works.
struct FinishedWork {
  absl::string_view unit = "point";
  size_t finished = 0;    // units that the same command does not make again
  size_t planned = 0;     // all units; 0: the journal was not opened yet
  std::string under_way;  // kept part of the unfinished unit: "batch 8 after its last complete epoch"; empty: nothing
};

// Returns `status`. If the run was cancelled, adds its progress, and the place from which the same command resumes, to
// the message. Must be called after the journal was closed.
absl::Status WithWhatIsKept(const absl::Status& status, const std::string& output, const FinishedWork& work);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STOPPED_RUN_H_
