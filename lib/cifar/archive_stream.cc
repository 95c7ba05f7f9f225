#include "lib/cifar/archive_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;

// First bytes: RFC 1952 (gzip), the .xz file format 1.2.1 section 2.1.1.1, and the formats' pages.
constexpr absl::string_view kGzipMagic("\x1f\x8b", 2);
constexpr absl::string_view kXzMagic(
    "\xfd"
    "7zXZ\0",
    6);
enum class ForeignKind { kArchive, kPackedStream };  // kPackedStream: such as .tar.bz2
struct Foreign {
  absl::string_view magic;
  const char* name;
  ForeignKind kind;
};
constexpr Foreign kForeign[] = {
    {absl::string_view("BZh", 3), "bzip2", ForeignKind::kPackedStream},
    {absl::string_view("\x28\xb5\x2f\xfd", 4), "zstd", ForeignKind::kPackedStream},
    {absl::string_view("7z\xbc\xaf\x27\x1c", 6), "7z", ForeignKind::kArchive},
};

class PlainStream : public ArchiveStream {
 public:
  explicit PlainStream(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<absl::string_view> Next() override {
    const absl::string_view block = bytes_.substr(used_, kBlockBytes);
    used_ += block.size();
    return block;
  }
  uint64_t packed_bytes() const override { return used_; }

 private:
  const absl::string_view bytes_;
  uint64_t used_ = 0;
};

// Stream of one gzip member, or of several in a row; zeros may follow (tapes and some servers pad).
class GzipStream : public ArchiveStream {
 public:
  explicit GzipStream(absl::string_view bytes) : bytes_(bytes), block_(kBlockBytes) {
    ok_ = inflateInit2(&stream_, kGzipWindowBits) == Z_OK;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data()));
    stream_.avail_in = static_cast<uInt>(bytes_.size());
  }
  ~GzipStream() override { inflateEnd(&stream_); }

  absl::StatusOr<absl::string_view> Next() override {
    if (!ok_) {
      return absl::InternalError("zlib cannot start");
    }
    stream_.next_out = block_.data();
    stream_.avail_out = static_cast<uInt>(block_.size());
    while (stream_.avail_out > 0 && !ended_) {
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        if (absl::Status status = EndMember(); !status.ok()) {
          return status;
        }
      } else if (result == Z_BUF_ERROR || (result == Z_OK && stream_.avail_in == 0 && stream_.avail_out > 0)) {
        return absl::DataLossError(absl::StrCat("gzip: cut off at byte ", packed_bytes()));
      } else if (result != Z_OK) {
        return absl::DataLossError(
            absl::StrCat("gzip: ", stream_.msg == nullptr ? "damaged" : stream_.msg, " before byte ", packed_bytes()));
      }
    }
    return absl::string_view(reinterpret_cast<const char*>(block_.data()), block_.size() - stream_.avail_out);
  }
  uint64_t packed_bytes() const override { return bytes_.size() - stream_.avail_in; }

 private:
  static constexpr int kGzipWindowBits =
      15 + 16;  // zlib.h, inflateInit2: the largest window, gzip's header and trailer

  absl::Status EndMember() {
    const absl::string_view rest = bytes_.substr(packed_bytes());
    if (absl::StartsWith(rest, kGzipMagic)) {
      ok_ = inflateReset(&stream_) == Z_OK;
      return ok_ ? absl::OkStatus() : absl::InternalError("zlib cannot start again");
    }
    ended_ = std::all_of(rest.begin(), rest.end(), [](char c) { return c == '\0'; });
    return ended_ ? absl::OkStatus()
                  : absl::DataLossError(absl::StrCat("gzip: ends at byte ", packed_bytes(), ", but ", rest.size(),
                                                     " bytes of something else follow"));
  }

  const absl::string_view bytes_;
  std::vector<Bytef> block_;
  z_stream stream_ = {};
  bool ok_ = false;
  bool ended_ = false;
};

// Stream of xz data, unpacked by liblzma through libarchive, whose "raw" format returns the unpacked bytes.
class XzStream : public ArchiveStream {
 public:
  explicit XzStream(absl::string_view bytes) : bytes_(bytes), archive_(archive_read_new()) {}
  ~XzStream() override { archive_read_free(archive_); }

  absl::Status Open() {
    archive_entry* entry;
    if (archive_read_support_filter_xz(archive_) != ARCHIVE_OK ||
        archive_read_support_format_raw(archive_) != ARCHIVE_OK ||
        archive_read_open_memory(archive_, bytes_.data(), bytes_.size()) != ARCHIVE_OK ||
        archive_read_next_header(archive_, &entry) != ARCHIVE_OK) {
      return Failed();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<absl::string_view> Next() override {
    const void* block;
    size_t size;
    la_int64_t offset;
    const int result = archive_read_data_block(archive_, &block, &size, &offset);
    if (result == ARCHIVE_EOF) {
      return absl::string_view();
    }
    if (result != ARCHIVE_OK) {
      return Failed();
    }
    return size == 0 ? Next() : absl::string_view(static_cast<const char*>(block), size);
  }
  uint64_t packed_bytes() const override {
    return static_cast<uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_, -1)));
  }

 private:
  absl::Status Failed() const {
    const char* reason = archive_error_string(archive_);
    return absl::DataLossError(absl::StrCat("xz: ", reason == nullptr ? "damaged" : reason));
  }

  const absl::string_view bytes_;
  archive* const archive_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ArchiveStream>> OpenArchiveStream(absl::string_view archive) {
  for (const Foreign& foreign : kForeign) {
    if (absl::StartsWith(archive, foreign.magic)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "expected a folder or a .tar, .tar.gz, .tar.xz or .zip archive, found ", foreign.name,
          foreign.kind == ForeignKind::kArchive ? "; unpack it, and name the folder as --input"
                                                : "; unpack it, and name the .tar file or the folder as --input"));
    }
  }
  if (absl::StartsWith(archive, kGzipMagic)) {
    return std::make_unique<GzipStream>(archive);
  }
  if (absl::StartsWith(archive, kXzMagic)) {
    auto stream = std::make_unique<XzStream>(archive);
    if (absl::Status status = stream->Open(); !status.ok()) {
      return status;
    }
    return absl::StatusOr<std::unique_ptr<ArchiveStream>>(std::move(stream));
  }
  return std::make_unique<PlainStream>(archive);
}

}  // namespace lockstep
