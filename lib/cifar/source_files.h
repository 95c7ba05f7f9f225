// Files of a data set, in memory: of a folder, or of an archive (.tar, .tar.gz, .tar.xz, .zip, detected by its
// content), which is unpacked in memory and never to disk.
//
// The work has steps, so that the digest reveals an existing result before anything is unpacked:
//   ListSource     lists the files of a folder; reads and digests an archive's own bytes
//   ReadFiles      reads and digests the files of a folder; does nothing for an archive
//   UnpackArchive  converts an archive's bytes to files; does nothing for a folder
// ReadListedFile and DescribeFolder are the parts of ReadFiles, for callers that use each file while the processor's
// cache holds it and keep no file.
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
#include "lib/base/owned_descriptor.h"
#include "lib/cifar/passed_over.h"
#include "lib/cifar/source_limits.h"
#include "lib/cifar/split_folders.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

struct SourceFile {
  std::string name;   // relative to the data set's root, '/'-separated: "data_batch_1.bin", "train/cat/0001.jpg"
  std::string bytes;  // content; empty while the file is only listed
  // Only for files of folders.
  std::string sha256;                                       // digest in hex, once the file was read
  uint64_t size_bytes = 0;                                  // size, once the file was read
  std::shared_ptr<const OwnedDescriptor> folder = nullptr;  // folder of the file, while the file is only listed
  bool one_read = false;                                    // argument of ReadFolderFile
};

struct SourceFiles {
  proto::InputFormat format = proto::INPUT_FORMAT_UNSPECIFIED;  // format; of an archive, known once it is unpacked
  std::vector<SourceFile> files;                                // sorted by name, names unique
  SplitFolders folders = {"train", "test", ""};                 // split folders of an image set
  std::map<std::string, PassedOver> passed_over;  // files of an image set that are not read, by split folder
  bool is_archive = false;
  std::string archive_md5;    // MD5 in hex, archives only; empty if OpenSSL offers no MD5
  proto::Input input;         // path as given; digest (lib/proto/header.proto defines it) and size once all is read
  std::string archive_bytes;  // content between ListSource and UnpackArchive
};

// Lists the data set at `path` ("-": an archive from standard input). `wanted` selects one of several formats; with
// INPUT_FORMAT_UNSPECIFIED there must be exactly one. Of a folder, only the files of this format are listed, and
// `input` holds only its path. Of an archive, `input` is complete.
//   - NotFound: nothing at `path`.
//   - FailedPrecondition: no version of CIFAR-10 or several (the message lists the findings), a device, or too large.
//   - InvalidArgument: a file of the folder is an output of this run (lib/record/run_files.h).
//   - DataLoss: reading failed, or a name would break a line.
//   - Cancelled: SIGINT or SIGTERM.
absl::StatusOr<SourceFiles> ListSource(const std::string& path, proto::InputFormat wanted);

// Reads the files that are only listed, which must be regular files, and fills `input`. Errors as above.
absl::Status ReadFiles(SourceFiles& source);

// Returns the bytes of `file`, which must belong to `source`. A listed file is read into `buffer` (see ReadFolderFile),
// its digest and size are stored, and it stays listed. Thread-safe for different files.
absl::StatusOr<absl::string_view> ReadListedFile(const SourceFiles& source, SourceFile& file, std::string& buffer);

// Fills `input` from digests and sizes. All files must have been read.
void DescribeFolder(SourceFiles& source);

// Calls ListSource, then ReadFiles.
absl::StatusOr<SourceFiles> ReadSource(const std::string& path, proto::InputFormat wanted);

// Fills format and files from archive_bytes, and clears archive_bytes.
//   - DataLoss: the archive is cut off or damaged (the reason is that of libarchive, liblzma or zlib), or a name occurs
//     twice.
//   - FailedPrecondition: as above, not an archive, or a member that no archive of CIFAR-10 has, whatever its name: an
//     absolute name or a name with "..", a link, a device, a FIFO, a size or a number of members beyond the limits.
absl::Status UnpackArchive(proto::InputFormat wanted, SourceFiles& source);

// Returns null if there is no file of this name.
const SourceFile* FindFile(const SourceFiles& source, absl::string_view name);

// Returns "PATH: NAME", for messages.
std::string SourcePath(const SourceFiles& source, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SOURCE_FILES_H_
