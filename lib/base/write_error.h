// Status of a failed write, by who can fix the cause.
#ifndef LOCKSTEP_LIB_BASE_WRITE_ERROR_H_
#define LOCKSTEP_LIB_BASE_WRITE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the error for `error`, the errno of opening or writing a file. `message` must name the call and the file. The
// status has one of four codes:
//     - ResourceExhausted: the disk or quota is full, the device fails, or there is no memory.
//     - Unavailable: the reader of a pipe is gone, a limit on open files is reached, or the file system or the kernel
//       refuses a call that the output needs.
//     - InvalidArgument: the path cannot be written to, for example because its folder does not exist.
//     - Internal: only a mistake in this program can cause the errno.
absl::Status WriteError(absl::string_view message, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_WRITE_ERROR_H_
