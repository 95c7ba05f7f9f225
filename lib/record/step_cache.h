// An output that already holds the result of the same step is not made again.
#ifndef LOCKSTEP_LIB_RECORD_STEP_CACHE_H_
#define LOCKSTEP_LIB_RECORD_STEP_CACHE_H_

#include <string>

#include "lib/proto/header.pb.h"

namespace lockstep {

// Whether the file at `path` is a complete record file with this header's cache key, of a run that ended well, and the
// files that it wrote beside the record are still there as they were. Then prints "cached PATH" on stderr. All of them are
// read whole: every checksum of the record, the digest of each other file. Where one of them is damaged or gone, says that
// and what is made again for it. Never true for "-", when the key has no build identity, or when the record or a file beside
// it is no regular file (recorded_file.h).
bool IsCached(const std::string& path, const proto::Header& header);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STEP_CACHE_H_
