// Stream of the unpacked bytes of an archive in memory, block by block.
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
  // Returns the next block, valid until the next call; empty at the end, after all checks of the packing have passed.
  // DataLoss (without the archive's name): cut off or damaged.
  virtual absl::StatusOr<absl::string_view> Next() = 0;
  // Returns the number of packed bytes used so far.
  virtual uint64_t packed_bytes() const = 0;
};

// Opens a stream for `archive`, which must outlive the stream. The first bytes of `archive` decide: gzip, xz, or
// (anything else) no packing. FailedPrecondition (without the archive's name): a known format that is not supported:
// bzip2, zstd, 7z.
absl::StatusOr<std::unique_ptr<ArchiveStream>> OpenArchiveStream(absl::string_view archive);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_ARCHIVE_STREAM_H_
