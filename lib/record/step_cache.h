// Cache of steps: an output that already holds the result of the same step is not made again.
#ifndef LOCKSTEP_LIB_RECORD_STEP_CACHE_H_
#define LOCKSTEP_LIB_RECORD_STEP_CACHE_H_

#include <string>

#include "lib/proto/header.pb.h"

namespace lockstep {

// Returns true, and prints "cached PATH" on stderr, if
//     - the file at `path` is a complete record file with this header's cache key;
//     - its run ended well;
//     - the other files that the run wrote are unchanged.
// Reads all these files to their end and checks every checksum of the record and the digest of each other file. If a
// file is damaged or missing, prints this file and the output that is made again. Always returns false if `path` is
// "-", if the key has no build identity, or if one of the files is not a regular file (recorded_file.h).
bool IsCached(const std::string& path, const proto::Header& header);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STEP_CACHE_H_
