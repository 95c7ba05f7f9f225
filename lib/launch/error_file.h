// Error file for torchrun. torchrun reads the file that TORCHELASTIC_ERROR_FILE names and, if several processes failed,
// shows the error of the first (torch/distributed/elastic/multiprocessing/errors).
#ifndef LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_
#define LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace lockstep {

// Returns {"message": {"message": ..., "extraInfo": {"timestamp": ...}}}; the timestamp is in seconds since 1970.
std::string ErrorFileText(absl::string_view message, absl::Time time);

// Writes the error file. Does nothing if the variable is not set or the file cannot be written.
void WriteErrorFile(absl::string_view message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_
