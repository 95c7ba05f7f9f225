// Reads zip archives whose members are stored, not compressed, as torch.save writes them, and checks every CRC: LibTorch's
// own reader does not, so that a flipped bit would go unnoticed into the weights.
//
// Format: PKWARE's APPNOTE.TXT 6.3.9, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14-16 (its end, also
// in Zip64), 4.5.3 (Zip64 sizes).
#ifndef LOCKSTEP_LIB_NN_STORED_ZIP_H_
#define LOCKSTEP_LIB_NN_STORED_ZIP_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The members of the archive that `bytes` are, by name; they point into `bytes`. DataLoss: not a zip archive, cut off, or
// a member whose CRC-32 does not match. FailedPrecondition: a compressed or encrypted member.
absl::StatusOr<std::map<std::string, absl::string_view>> ReadStoredZip(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STORED_ZIP_H_
