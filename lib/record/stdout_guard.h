// Keeps the real standard output for records.
#ifndef LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_
#define LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_

#include "absl/status/statusor.h"

namespace lockstep {

// A descriptor of the real standard output. From the first call on, descriptor 1 is standard error, so that a library
// that prints (NCCL_DEBUG=INFO) cannot spoil a record that goes to a pipe. Tools with --output=- call it first thing in
// main; later calls return a descriptor of the same file. FailedPrecondition: standard output is a terminal, or closed.
absl::StatusOr<int> TakeStdout();

// The real standard output's descriptor, taken or not; to look at, not to close.
int StandardOutput();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STDOUT_GUARD_H_
