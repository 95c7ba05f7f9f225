// Status of a failed system call. It distinguishes a shortage or a refusal of the machine from a mistake in this
// program.
#ifndef LOCKSTEP_LIB_BASE_SYSTEM_CALL_ERROR_H_
#define LOCKSTEP_LIB_BASE_SYSTEM_CALL_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the error for `error`, the errno of a failed call. `message` must name the call and its object. The status
// has one of three codes:
//     - ResourceExhausted: there is no memory. A training point interprets it as a batch that does not fit.
//     - Unavailable: a limit on descriptors, processes or threads was reached, or the kernel, the container or a device
//       refuses the call. The message names the limit or the remedy.
//     - Internal: only a mistake in this program can cause the errno, such as EBADF.
// For files, use WriteError of write_error.h instead. Thread-safe.
absl::Status SystemCallError(absl::string_view message, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_SYSTEM_CALL_ERROR_H_
