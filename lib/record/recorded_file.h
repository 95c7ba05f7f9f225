// Whether a file that a record names is still what the record says.
//
// A record is input like any other: the paths in it may name anything. What is no regular file is never opened here: a
// device (/dev/zero) has no end, and a FIFO without a writer blocks whoever opens it.
#ifndef LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_
#define LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// FailedPrecondition: `path` (a symbolic link is followed) is a device, a pipe, a folder or the like. NotFound: nothing
// is there, or it cannot be looked at.
absl::Status CheckRegularFile(const std::string& path);

// OK when the file is there with the recorded digest. One of another size (0: not recorded) is not read. FailedPrecondition:
// it differs, or is no regular file, as "-" is none. NotFound: it cannot be opened. DataLoss: it cannot be read. Cancelled:
// a stop signal came.
absl::Status CheckUnchanged(const proto::Input& file);

// OK if `input`, which this process has just read, has the digest of the file with which the run began. The process of a
// point and a rank open the data set by its name again, and somebody may have replaced it meanwhile. FailedPrecondition:
// the digests differ.
absl::Status CheckNotReplaced(const proto::Input& input, const std::string& expected_sha256);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORDED_FILE_H_
