// Reader of zip archives with uncompressed members, like those of torch.save. It checks every CRC. LibTorch's own
// reader does not, so a flipped bit would get into the weights unnoticed.
//
// Format: PKWARE's APPNOTE.TXT 6.3.9, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14-16 (its end,
// also in Zip64), 4.5.3 (Zip64 sizes).
#ifndef LOCKSTEP_LIB_NN_STORED_ZIP_H_
#define LOCKSTEP_LIB_NN_STORED_ZIP_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the members of the archive by name, as views into `bytes`. Returns DataLossError if `bytes` is not a zip
// archive or is cut off, or if a member's CRC-32 does not match, and FailedPreconditionError for a compressed or
// encrypted member.
absl::StatusOr<std::map<std::string, absl::string_view>> ReadStoredZip(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STORED_ZIP_H_
