// The trailer of a record file, without reading the records before it.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_TRAILER_H_
#define LOCKSTEP_LIB_RECORD_RECORD_TRAILER_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Looks for a trailer that ends where the file ends, its checksum right. Says nothing of what is before it: whoever reads
// the records checks them. NotFound: no such file. DataLoss: no trailer in the file's last 64 KiB, where one of a hundred
// outputs would lie.
absl::StatusOr<proto::Trailer> ReadTrailerAtEnd(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_TRAILER_H_
