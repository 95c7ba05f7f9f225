// Checks whether a file that a record names is unchanged.
//
// Paths in a record are untrusted input. Only regular files are opened here, because a device (/dev/zero) may be
// endless, and opening a FIFO without a writer blocks.
#ifndef LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_
#define LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Returns FailedPreconditionError if `path` is not a regular file but, for example, a device, a pipe or a folder, and
// NotFoundError if stat fails. Follows symbolic links.
absl::Status CheckRegularFile(const std::string& path);

// Returns OK if the file has the recorded digest. A file whose size differs from the recorded size (0: not recorded) is
// not read. Errors:
//     - FailedPrecondition: the file differs, is not a regular file, or is "-";
//     - NotFound: the file cannot be opened;
//     - DataLoss: the file cannot be read;
//     - Cancelled: a stop signal was received.
absl::Status CheckUnchanged(const proto::Input& file);

// Returns FailedPreconditionError if `input`, which this process has just read, does not have the digest of the file at
// the start of the run. The process of a point and each rank open the data set again by its name, and the file may have
// been replaced since.
absl::Status CheckNotReplaced(const proto::Input& input, const std::string& expected_sha256);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_
