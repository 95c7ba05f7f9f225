// Opens the input files of tools.
//
// open(2) of a FIFO waits for a writer, perhaps forever. Here a stop signal ends the wait, even a signal that arrived
// just before the wait: such a signal would not interrupt open(2).
#ifndef LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_
#define LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// Opens the file at `path` and returns a descriptor that is closed on exec. A FIFO has data or is at its end on return.
// NotFound: the file cannot be opened, or `path` is an address on a network. FailedPrecondition: `path` is a folder.
// Cancelled: a stop signal was received while no process was writing to the FIFO.
absl::StatusOr<int> OpenInput(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_
