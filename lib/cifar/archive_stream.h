// The bytes of an archive in memory, unpacked block by block.
#ifndef LOCKSTEP_LIB_CIFAR_ARCHIVE_STREAM_H_
#define LOCKSTEP_LIB_CIFAR_ARCHIVE_STREAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

class ArchiveStream {
 public:
  virtual ~ArchiveStream() = default;
  // The next block, valid until the next call; empty at the end, once all of the packing's own checks have held.
  // DataLoss (without the archive's name): cut off or damaged.
  virtual absl::StatusOr<absl::string_view> Next() = 0;
  // Packed bytes used so far.
  virtual uint64_t packed_bytes() const = 0;
};

// Told by the first bytes of `archive`, which must outlive the stream: gzip, xz, or (anything else) as it is.
// FailedPrecondition (without the archive's name): a packing or an archive that is known and not read: zip, bzip2,
// zstd, 7z.
absl::StatusOr<std::unique_ptr<ArchiveStream>> OpenArchiveStream(absl::string_view archive);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_ARCHIVE_STREAM_H_
