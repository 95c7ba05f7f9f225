#include "lib/cifar/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/archive_stream.h"
#include "lib/cifar/foreign_form.h"
#include "lib/cifar/source_limits.h"

namespace lockstep {
namespace {

// POSIX 1003.1, pax, "ustar Interchange Format": the archive ends with two blocks of 512 zeros.
constexpr size_t kTarEndBytes = 1024;

absl::Status TooManyBytes() {
  return absl::FailedPreconditionError(
      absl::StrCat("expected at most ", kMaxSourceBytes,
                   " bytes unpacked, found more; unpack the archive, and name the folder as --input"));
}

// Source of the unpacked bytes for libarchive. Counts the bytes, and keeps the first error, because libarchive passes
// no error on.
struct TarBytes {
  ArchiveStream* stream;
  const ArchiveVisitor* visitor;
  absl::Status status;
  uint64_t unpacked_bytes = 0;

  absl::StatusOr<absl::string_view> Next() {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const absl::string_view block, stream->Next());
    unpacked_bytes += block.size();
    if (unpacked_bytes > kMaxSourceBytes) {
      return TooManyBytes();
    }
    if (visitor->progress) {
      visitor->progress(stream->packed_bytes());
    }
    return block;
  }
};

// First bytes of a zip archive (APPNOTE.TXT, 4.3.7): of its first member, or of an empty archive.
bool IsZip(absl::string_view packed) {
  return absl::StartsWith(packed, absl::string_view("PK\x03\x04", 4)) ||
         absl::StartsWith(packed, absl::string_view("PK\x05\x06", 4));
}

la_ssize_t ReadBlock(archive* tar, void* data, const void** buffer) {
  TarBytes& bytes = *static_cast<TarBytes*>(data);
  const absl::StatusOr<absl::string_view> block = bytes.Next();
  if (!block.ok()) {
    bytes.status = block.status();
    archive_set_error(tar, -1, "see status");
    return ARCHIVE_FATAL;
  }
  *buffer = block->data();
  return static_cast<la_ssize_t>(block->size());
}

std::string Reason(archive* tar) {
  const char* text = archive_error_string(tar);
  return text == nullptr ? "damaged" : text;
}

absl::Status Unwelcome(absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(what,
                   ", which no archive of images needs; use the published archive, or unpack this one and name "
                   "the folder as --input"));
}

// Returns `name` without "." and empty parts.
absl::StatusOr<std::string> CleanName(absl::string_view name) {
  if (absl::StartsWith(name, "/")) {
    return Unwelcome("an absolute name");
  }
  std::vector<absl::string_view> parts;
  for (const absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") {
      return Unwelcome("a name with '..'");
    }
    if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return absl::StrJoin(parts, "/");
}

absl::Status CheckKind(archive_entry* entry) {
  if (archive_entry_is_encrypted(entry) != 0) {
    return absl::FailedPreconditionError("an encrypted member; unpack the archive, and name the folder as --input");
  }
  if (archive_entry_hardlink(entry) != nullptr) {
    return Unwelcome("a hard link");
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return absl::OkStatus();
    case AE_IFLNK:
      return Unwelcome("a symbolic link");
    case AE_IFIFO:
      return Unwelcome("a FIFO");
    default:
      return Unwelcome("a device");
  }
}

// One pass over a whole archive.
class Reader {
 public:
  // `bytes` is the source of a tar archive's bytes; null for a zip archive, which libarchive reads from memory.
  Reader(archive* tar, TarBytes* bytes, const ArchiveVisitor& visitor) : tar_(tar), bytes_(bytes), visitor_(visitor) {}

  // Reads all members. Errors begin with the member's name, if it is known.
  absl::Status Run() {
    while (true) {
      archive_entry* entry;
      const int result = archive_read_next_header(tar_, &entry);
      if (result == ARCHIVE_EOF) {
        return Drain();
      }
      if (result != ARCHIVE_OK) {
        return Broken(members_ != 0       ? absl::StrCat("after ", members_, " members")
                      : bytes_ == nullptr ? "not a whole zip archive"
                                          : "not a tar archive");
      }
      const char* name = archive_entry_pathname(entry);
      const std::string raw = name == nullptr ? "" : name;
      if (absl::Status status = Member(raw, entry); absl::IsCancelled(status)) {
        return status;
      } else if (!status.ok()) {
        return absl::Status(status.code(), absl::StrCat(absl::Utf8SafeCHexEscape(raw), ": ", status.message()));
      }
      members_end_ = static_cast<uint64_t>(archive_filter_bytes(tar_, 0));
    }
  }

 private:
  absl::Status Broken(absl::string_view what) const {
    return bytes_ != nullptr && !bytes_->status.ok() ? bytes_->status
                                                     : absl::DataLossError(absl::StrCat(what, ": ", Reason(tar_)));
  }

  absl::Status Member(const std::string& raw, archive_entry* entry) {
    RETURN_IF_ERROR(CheckNotStopped());
    if (++members_ > kMaxSourceFiles) {
      return absl::FailedPreconditionError(absl::StrCat("expected at most ", kMaxSourceFiles,
                                                        " members, found more; unpack the archive, and name the "
                                                        "folder as --input"));
    }
    RETURN_IF_ERROR(CheckKind(entry));
    ASSIGN_OR_RETURN(std::string name, CleanName(raw));
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      return absl::OkStatus();
    }
    if (!names_.insert(name).second) {
      return absl::DataLossError("two members have this name");
    }
    const la_int64_t size = archive_entry_size(entry);
    if (size < 0 || static_cast<uint64_t>(size) > kMaxSourceFileBytes) {
      return absl::FailedPreconditionError(absl::StrCat("expected at most ", kMaxSourceFileBytes, " bytes, declares ",
                                                        size, "; not an archive of images"));
    }
    if (visitor_.want(name)) {
      taken_bytes_ += static_cast<uint64_t>(size);
      if (taken_bytes_ > kMaxSourceBytes) {
        return TooManyBytes();
      }
      RETURN_IF_ERROR(Take(std::move(name), static_cast<size_t>(size)));
    }
    if (bytes_ == nullptr && visitor_.progress) {
      visitor_.progress(static_cast<uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(tar_, -1))));
    }
    // Skips the rest of the member, including padding.
    return archive_read_data_skip(tar_) == ARCHIVE_OK ? absl::OkStatus() : Broken("cut off");
  }

  absl::Status Take(std::string name, size_t size) {
    std::string data(size, '\0');
    size_t filled = 0;
    while (filled < size) {
      const la_ssize_t n = archive_read_data(tar_, &data[filled], size - filled);
      if (n < 0) {
        return Broken(absl::StrCat("at byte ", filled));
      }
      if (n == 0) {
        return absl::DataLossError(absl::StrCat("expected ", size, " bytes, found ", filled));
      }
      filled += static_cast<size_t>(n);
    }
    char beyond;  // the read of the member's end also makes zip's check of the CRC-32
    const la_ssize_t n = archive_read_data(tar_, &beyond, 1);
    if (n != 0) {
      return n < 0 ? Broken("at the end") : absl::DataLossError(absl::StrCat("expected ", size, " bytes, found more"));
    }
    return visitor_.take(std::move(name), std::move(data));
  }

  // Reads to the end of the packed stream, where its last check is. libarchive accepts the end of the bytes as the end
  // of the archive; only tar's own end shows that no member is missing.
  absl::Status Drain() {
    if (bytes_ == nullptr) {
      return absl::OkStatus();  // zip's list of members is at its end, and was read first
    }
    RETURN_IF_ERROR(bytes_->status);
    while (true) {
      ASSIGN_OR_RETURN(const absl::string_view block, bytes_->Next());
      if (block.empty()) {
        break;
      }
    }
    return bytes_->unpacked_bytes >= members_end_ + kTarEndBytes
               ? absl::OkStatus()
               : absl::DataLossError(
                     absl::StrCat("cut off after ", members_, " members: expected tar's two empty blocks at the end"));
  }

  archive* const tar_;
  TarBytes* const bytes_;
  const ArchiveVisitor& visitor_;
  std::set<std::string> names_;
  uint64_t members_ = 0;
  uint64_t taken_bytes_ = 0;  // bytes of the members that were wanted
  uint64_t members_end_ = 0;  // number of unpacked bytes up to the end of the last member
};

// Makes this thread's locale accept UTF-8 names during its lifetime; libarchive would otherwise refuse to convert them.
class Utf8Names {
 public:
  Utf8Names() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    before_ = locale_ != nullptr ? uselocale(locale_) : nullptr;
  }
  ~Utf8Names() {
    if (locale_ != nullptr) {
      uselocale(before_);
      freelocale(locale_);
    }
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  const locale_t locale_;  // null if the system has no C.UTF-8: such names are then an error
  locale_t before_;
};

absl::Status ReadTar(absl::string_view packed, const ArchiveVisitor& visitor) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ArchiveStream> stream, OpenArchiveStream(packed));
  TarBytes bytes = {stream.get(), &visitor, absl::OkStatus()};
  const std::unique_ptr<archive, int (*)(archive*)> tar(archive_read_new(), archive_read_free);
  const Utf8Names utf8;
  if (archive_read_support_format_tar(tar.get()) != ARCHIVE_OK) {
    return absl::InternalError(absl::StrCat("libarchive: ", Reason(tar.get())));
  }
  if (archive_read_open(tar.get(), &bytes, nullptr, ReadBlock, nullptr) != ARCHIVE_OK) {
    return !bytes.status.ok() ? bytes.status
                              : absl::DataLossError(absl::StrCat("not a tar archive: ", Reason(tar.get())));
  }
  return Reader(tar.get(), &bytes, visitor).Run();
}

absl::Status ReadZip(absl::string_view packed, const ArchiveVisitor& visitor) {
  const std::unique_ptr<archive, int (*)(archive*)> zip(archive_read_new(), archive_read_free);
  const Utf8Names utf8;
  // The seekable reader uses the list of members at the archive's end, which has all sizes.
  if (archive_read_support_format_zip_seekable(zip.get()) != ARCHIVE_OK) {
    return absl::InternalError(absl::StrCat("libarchive: ", Reason(zip.get())));
  }
  if (archive_read_open_memory(zip.get(), packed.data(), packed.size()) != ARCHIVE_OK) {
    return absl::DataLossError(absl::StrCat("not a whole zip archive: ", Reason(zip.get())));
  }
  return Reader(zip.get(), nullptr, visitor).Run();
}

absl::Status ReadAny(absl::string_view packed, const ArchiveVisitor& visitor) {
  if (packed.empty()) {
    return absl::DataLossError("expected an archive, found an empty file");
  }
  if (const std::string form = ForeignInputText(packed); !form.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a folder or a .tar, .tar.gz, .tar.xz or .zip archive, found ", form));
  }
  return IsZip(packed) ? ReadZip(packed, visitor) : ReadTar(packed, visitor);
}

}  // namespace

absl::Status ReadArchive(const std::string& path, absl::string_view archive, const ArchiveVisitor& visitor) {
  const absl::Status status = ReadAny(archive, visitor);
  return status.ok() || absl::IsCancelled(status) || absl::IsInternal(status)
             ? status
             : absl::Status(status.code(), absl::StrCat(path, ": ", status.message(),
                                                        absl::IsDataLoss(status) ? "; get the archive again" : ""));
}

}  // namespace lockstep
