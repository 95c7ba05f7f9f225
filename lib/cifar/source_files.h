// The files that a data set is made of, in memory: of a folder, or of an archive (.tar, .tar.gz, .tar.xz, told by its
// content), which is taken apart there and never unpacked to disk.
//
// Two steps, so that a result that is already there is known by the digest, before anything is taken apart:
//   ReadSource     reads and digests: the files of a folder, or an archive's own bytes
//   UnpackArchive  an archive's bytes to files; nothing to do for a folder
#ifndef LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_
#define LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/source_limits.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

struct SourceFile {
  std::string name;  // relative to the data set's root, '/'-separated: "data_batch_1.bin", "train/cat/0001.jpg"
  std::string bytes;
  std::string sha256;  // hex; of folders only, empty in archives
};

struct SourceFiles {
  proto::InputFormat format = proto::INPUT_FORMAT_UNSPECIFIED;  // of an archive: known once unpacked
  std::vector<SourceFile> files;                                // sorted by name, names unique
  bool is_archive = false;
  std::string archive_md5;    // hex, archives only; empty where OpenSSL offers no MD5
  proto::Input input;         // path as given, digest (lib/proto/header.proto says of what), size
  std::string archive_bytes;  // between the two steps
};

// Reads what is at `path` ("-": an archive from standard input). `wanted` picks one of several kinds; with
// INPUT_FORMAT_UNSPECIFIED there must be one. Of a folder only that kind's files are read, regular files alone.
// NotFound: nothing there. FailedPrecondition: no kind of CIFAR-10 or several (the message says what was found), a
// device, too large. DataLoss: reading failed. Cancelled: SIGINT or SIGTERM.
absl::StatusOr<SourceFiles> ReadSource(const std::string& path, proto::InputFormat wanted);

// Fills format and files from archive_bytes, and empties these. DataLoss: cut off, damaged (the reason is libarchive's,
// liblzma's or zlib's), a name twice. FailedPrecondition: as above, not an archive, or a member that no archive of
// CIFAR-10 has, whatever it is called: a name that is absolute or has "..", a link, a device, a FIFO, a size or a
// number of members beyond the limits.
absl::Status UnpackArchive(proto::InputFormat wanted, SourceFiles& source);

// Null when there is none of this name.
const SourceFile* FindFile(const SourceFiles& source, absl::string_view name);

// "PATH: NAME", for messages.
std::string SourcePath(const SourceFiles& source, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_
