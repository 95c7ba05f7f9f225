// Reader of the members of an archive in memory: tar, packed by gzip, xz or not at all, or zip. Nothing is written to
// disk.
//
// libarchive reads the two formats (all others stay disabled) and unpacks xz. zlib unpacks gzip, because
// libarchive 3.6 does not verify gzip's CRC-32 (archive_read_support_filter_gzip.c, consume_trailer), which is the only
// check that finds a flipped bit in a picture. The packed stream is always read to its end, so that all of its checks
// are made. Of a zip archive, libarchive verifies the CRC-32 of each member that is wanted.
#ifndef LOCKSTEP_LIB_CIFAR_ARCHIVE_H_
#define LOCKSTEP_LIB_CIFAR_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct ArchiveVisitor {
  // Returns true if a member's bytes are wanted. Called for every regular file. Names have no "./" and no doubled '/'.
  std::function<bool(const std::string& name)> want;
  std::function<absl::Status(std::string name, std::string bytes)> take;
  std::function<void(uint64_t packed_bytes)> progress;  // receives the bytes of `archive` used so far; may be empty
};

// Shows every member to `visitor`. Returns the errors of UnpackArchive (source_files.h) and of the visitor. `path` is
// for messages.
absl::Status ReadArchive(const std::string& path, absl::string_view archive, const ArchiveVisitor& visitor);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_ARCHIVE_H_
