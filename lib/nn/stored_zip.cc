#include "lib/nn/stored_zip.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_format.h"

namespace lockstep {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr uint32_t kEnd64Locator = 0x07064b50;
constexpr uint64_t kLocalHeaderSize = 30;
constexpr uint64_t kCentralHeaderSize = 46;
constexpr uint64_t kEndSize = 22;
constexpr uint64_t kEnd64Size = 56;
constexpr uint64_t kEnd64LocatorSize = 20;
constexpr uint64_t kMaxCommentSize = 0xFFFF;
constexpr uint32_t kIn64 = 0xFFFFFFFF;  // the value is in the Zip64 field
constexpr uint64_t kZip64Extra = 0x0001;

absl::Status Broken(absl::string_view what) { return absl::DataLossError(absl::StrCat("zip archive broken: ", what)); }

// Returns the `size` bytes at `offset`, with an error if a broken archive places them outside.
absl::StatusOr<absl::string_view> Slice(absl::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return Broken(absl::StrCat("it has ", bytes.size(), " bytes, but refers to ", size, " bytes at ", offset));
  }
  return bytes.substr(offset, size);
}

// Returns a little-endian number. The caller must ensure that it lies within `bytes`.
uint64_t Number(absl::string_view bytes, uint64_t offset, size_t size) {
  return LittleEndian(bytes.substr(offset, size));
}

// Position of the central directory, and number of members in it.
struct Directory {
  uint64_t offset = 0;
  uint64_t count = 0;
};

absl::StatusOr<Directory> ReadDirectory64(absl::string_view bytes, uint64_t end_at) {
  ASSIGN_OR_RETURN(const absl::string_view locator, Slice(bytes, end_at - kEnd64LocatorSize, kEnd64LocatorSize));
  if (Number(locator, 0, 4) != kEnd64Locator) {
    return Broken("no Zip64 end of the directory");
  }
  ASSIGN_OR_RETURN(const absl::string_view end, Slice(bytes, Number(locator, 8, 8), kEnd64Size));
  if (Number(end, 0, 4) != kEnd64) {
    return Broken("no Zip64 end of the directory");
  }
  return Directory{Number(end, 48, 8), Number(end, 32, 8)};
}

absl::StatusOr<Directory> FindDirectory(absl::string_view bytes) {
  if (bytes.size() < kEndSize) {
    return Broken(absl::StrCat("only ", bytes.size(), " bytes"));
  }
  // A comment of unknown length follows the end record, so the search goes backwards.
  const uint64_t last = bytes.size() - kEndSize;
  for (uint64_t at = last; at + kMaxCommentSize >= last; --at) {
    if (Number(bytes, at, 4) == kEnd) {
      const Directory directory{Number(bytes, at + 16, 4), Number(bytes, at + 10, 2)};
      const bool in_64 = directory.offset == kIn64 || directory.count == 0xFFFF;
      return in_64 ? ReadDirectory64(bytes, at) : directory;
    }
    if (at == 0) {
      break;
    }
  }
  return Broken("no end of the central directory; not a zip archive, or cut off");
}

// Member of the archive, from its directory entry.
struct Member {
  std::string name;
  uint64_t size = 0;
  uint64_t local_offset = 0;
  uint32_t crc32 = 0;
};

// Replaces sizes and offset of a member by those in its Zip64 field, which holds only values that did not fit before.
absl::Status ReadZip64Extra(absl::string_view extra, uint64_t& packed_size, Member& member) {
  while (extra.size() >= 4) {
    const uint64_t id = Number(extra, 0, 2);
    ASSIGN_OR_RETURN(const absl::string_view field, Slice(extra, 4, Number(extra, 2, 2)));
    extra.remove_prefix(4 + field.size());
    if (id != kZip64Extra) {
      continue;
    }
    uint64_t at = 0;
    for (uint64_t* value : {&member.size, &packed_size, &member.local_offset}) {
      if (*value == kIn64) {
        RETURN_IF_ERROR(Slice(field, at, 8).status());
        *value = Number(field, at, 8);
        at += 8;
      }
    }
  }
  return absl::OkStatus();
}

// Reads the directory entry at `at` and advances `at` to the next entry.
absl::StatusOr<Member> ReadCentralHeader(absl::string_view bytes, uint64_t& at) {
  ASSIGN_OR_RETURN(const absl::string_view header, Slice(bytes, at, kCentralHeaderSize));
  if (Number(header, 0, 4) != kCentralHeader) {
    return Broken(absl::StrCat("no directory entry at byte ", at));
  }
  const uint64_t name_size = Number(header, 28, 2);
  const uint64_t extra_size = Number(header, 30, 2);
  ASSIGN_OR_RETURN(const absl::string_view name, Slice(bytes, at + kCentralHeaderSize, name_size));
  ASSIGN_OR_RETURN(const absl::string_view extra, Slice(bytes, at + kCentralHeaderSize + name_size, extra_size));
  Member member;
  member.name = std::string(name);
  member.crc32 = static_cast<uint32_t>(Number(header, 16, 4));
  uint64_t packed_size = Number(header, 20, 4);
  member.size = Number(header, 24, 4);
  member.local_offset = Number(header, 42, 4);
  RETURN_IF_ERROR(ReadZip64Extra(extra, packed_size, member));
  const bool encrypted = (Number(header, 8, 2) & 1) != 0;
  if (encrypted || Number(header, 10, 2) != 0 || packed_size != member.size) {
    return absl::FailedPreconditionError(
        absl::StrCat("zip member ", member.name, " is compressed or encrypted; torch.save stores them plainly"));
  }
  at += kCentralHeaderSize + name_size + extra_size + Number(header, 32, 2);
  return member;
}

absl::StatusOr<absl::string_view> ReadMember(absl::string_view bytes, const Member& member) {
  ASSIGN_OR_RETURN(const absl::string_view header, Slice(bytes, member.local_offset, kLocalHeaderSize));
  if (Number(header, 0, 4) != kLocalHeader) {
    return Broken(absl::StrCat("member ", member.name, " has no header"));
  }
  const uint64_t start = member.local_offset + kLocalHeaderSize + Number(header, 26, 2) + Number(header, 28, 2);
  ASSIGN_OR_RETURN(const absl::string_view content, Slice(bytes, start, member.size));
  if (Crc32(content) != member.crc32) {
    return Broken(absl::StrCat("the CRC-32 of member ", member.name, " does not match"));
  }
  return content;
}

}  // namespace

absl::StatusOr<std::map<std::string, absl::string_view>> ReadStoredZip(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  std::map<std::string, absl::string_view> members;
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    ASSIGN_OR_RETURN(const Member member, ReadCentralHeader(bytes, at));
    ASSIGN_OR_RETURN(members[member.name], ReadMember(bytes, member));
  }
  return members;
}

}  // namespace lockstep
