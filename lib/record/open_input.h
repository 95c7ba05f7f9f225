// Opens files to read, as every file that a tool is given is opened.
//
// The open of a FIFO waits for a writer, perhaps for ever. Here a stop signal ends that wait, also one that came just
// before it, which the interrupted call of open(2) would never see.
#ifndef LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_
#define LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// A descriptor, closed on exec; of a FIFO, one that has something to read or is at its end. NotFound: cannot be opened, or is an address.
// FailedPrecondition: a folder.
// Cancelled: a stop signal came, and nobody writes.
absl::StatusOr<int> OpenInput(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OPEN_INPUT_H_
