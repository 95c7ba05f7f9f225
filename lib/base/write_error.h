// What a failed write means to the user: who can mend it, and so which exit code says it.
#ifndef LOCKSTEP_LIB_BASE_WRITE_ERROR_H_
#define LOCKSTEP_LIB_BASE_WRITE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// `error`: the errno of opening or writing; `message`: what was tried, and on what. ResourceExhausted: the disk or
// quota is full, the device fails, or there is no memory. Unavailable: the reader of a pipe is gone, a limit on open
// files is reached, or the file system or the kernel refuses what the output needs. InvalidArgument: a place that cannot
// be written to, a missing folder among them. Internal: an errno that nobody can bring about but us.
absl::Status WriteError(absl::string_view message, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_WRITE_ERROR_H_
