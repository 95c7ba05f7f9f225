// Reserves the real standard output for records.
#ifndef LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_
#define LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_

#include "absl/status/statusor.h"

namespace lockstep {

// Returns a descriptor of the real standard output. From the first call on, descriptor 1 is standard error, so that a
// library that prints (NCCL_DEBUG=INFO) cannot damage a record that is written to a pipe. Tools with --output=- must
// call it at the start of main; later calls return another descriptor of the same file. Returns FailedPreconditionError
// if standard output is a terminal or closed.
absl::StatusOr<int> TakeStdout();

// Returns the descriptor of the real standard output, whether TakeStdout was called or not. Must not be closed.
int StandardOutput();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_
