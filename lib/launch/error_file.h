// The error of a process, for torchrun: it reads the file that TORCHELASTIC_ERROR_FILE names, and of several processes
// that failed shows the first one's (torch/distributed/elastic/multiprocessing/errors).
#ifndef LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_
#define LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace lockstep {

// {"message": {"message": ..., "extraInfo": {"timestamp": ...}}}, seconds since 1970.
std::string ErrorFileText(absl::string_view message, absl::Time time);

// Writes it where the environment says; nothing when it does not, or the file cannot be written.
void WriteErrorFile(absl::string_view message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ERROR_FILE_H_
