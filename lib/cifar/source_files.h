// The files that a data set is made of, in memory: of a folder, or of an archive (.tar, .tar.gz, .tar.xz, told by its
// content), which is taken apart there and never unpacked to disk.
//
// In steps, so that a result that is already there is known by the digest, before anything is taken apart:
//   ListSource     lists the files of a folder; reads and digests an archive's own bytes
//   ReadFiles      reads and digests the files of a folder; nothing to do for an archive
//   UnpackArchive  an archive's bytes to files; nothing to do for a folder
// ReadListedFile and DescribeFolder are ReadFiles in parts, for those who use each file while the processor's cache
// holds it, and keep none.
#ifndef LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_
#define LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/passed_over.h"
#include "lib/cifar/source_limits.h"
#include "lib/cifar/split_folders.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

class OpenFolder;

struct SourceFile {
  std::string name;   // relative to the data set's root, '/'-separated: "data_batch_1.bin", "train/cat/0001.jpg"
  std::string bytes;  // empty while it is only listed
  // The rest of folders only.
  std::string sha256;                                  // hex, once it was read
  uint64_t size_bytes = 0;                             // the same
  std::shared_ptr<const OpenFolder> folder = nullptr;  // where it lies, while it is only listed
  bool one_read = false;                               // as ReadFolderFile (folder_files.h) has it
};

struct SourceFiles {
  proto::InputFormat format = proto::INPUT_FORMAT_UNSPECIFIED;  // of an archive: known once unpacked
  std::vector<SourceFile> files;                                // sorted by name, names unique
  SplitFolders folders = {"train", "test", ""};                 // of pictures
  std::map<std::string, PassedOver> passed_over;                // of pictures, by split folder: files that are not read
  bool is_archive = false;
  std::string archive_md5;    // hex, archives only; empty where OpenSSL offers no MD5
  proto::Input input;         // path as given; once all is read, digest (lib/proto/header.proto says of what) and size
  std::string archive_bytes;  // between the two steps
};

// What is at `path` ("-": an archive from standard input). `wanted` picks one of several kinds; with
// INPUT_FORMAT_UNSPECIFIED there must be one. Of a folder only that kind's files are listed. `input` is that of an
// archive; of a folder, its path. NotFound: nothing there. FailedPrecondition: no kind of CIFAR-10 or several (the
// message says what was found), a device, too large. InvalidArgument: a file of the folder is an output of this run
// (lib/record/run_files.h). DataLoss: reading failed, a name that would break a line. Cancelled: SIGINT or SIGTERM.
absl::StatusOr<SourceFiles> ListSource(const std::string& path, proto::InputFormat wanted);

// Reads the files that are listed only, regular files alone, and fills `input`. Errors as above.
absl::Status ReadFiles(SourceFiles& source);

// The bytes of `file`, which is of `source`. Of a listed one they are read to `buffer` (see ReadFolderFile), its digest
// and size are kept, and it stays listed. Thread-safe for files that differ.
absl::StatusOr<absl::string_view> ReadListedFile(const SourceFiles& source, SourceFile& file, std::string& buffer);

// Fills `input` from digests and sizes: all files were read.
void DescribeFolder(SourceFiles& source);

// ListSource, then ReadFiles.
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
