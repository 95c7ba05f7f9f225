#include "lib/record/record_trailer.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/record/open_input.h"
#include "lib/record/record_format.h"

namespace lockstep {
namespace {

constexpr off_t kTailBytes = 64 << 10;
constexpr char kTrailerField = 0x12;  // field 2 of AnyRecord, length-delimited: what a trailer's record begins with

absl::StatusOr<std::string> ReadTail(const std::string& path) {
  ASSIGN_OR_RETURN(const int fd, OpenInput(path));
  const off_t size = lseek(fd, 0, SEEK_END);
  std::string tail(static_cast<size_t>(std::clamp<off_t>(size, 0, kTailBytes)), '\0');
  const ssize_t n = pread(fd, tail.data(), tail.size(), size - static_cast<off_t>(tail.size()));
  close(fd);
  if (size < 0 || n != static_cast<ssize_t>(tail.size())) {
    return absl::DataLossError(absl::StrCat(path, ": its end cannot be read"));
  }
  return tail;
}

// Whether `bytes` is the frame of a trailer, and nothing else. The size must reach the end exactly, so that the checksum is
// hardly ever computed in vain.
bool ParseTrailer(absl::string_view bytes, proto::Trailer& trailer) {
  constexpr size_t kFrameTailBytes = 5;
  // The tag, and the record's size in one to three bytes for what a tail can hold.
  for (const size_t head_bytes : {2, 3, 4}) {
    if (bytes.size() < head_bytes + kFrameTailBytes || bytes[head_bytes] != kTrailerField) {
      continue;
    }
    const absl::string_view payload = bytes.substr(head_bytes, bytes.size() - head_bytes - kFrameTailBytes);
    proto::AnyRecord record;
    if (bytes.substr(0, head_bytes) == FrameHead(payload.size()) &&
        bytes.substr(head_bytes + payload.size()) == FrameTail(payload) &&
        record.ParseFromArray(payload.data(), static_cast<int>(payload.size())) && record.has_trailer()) {
      trailer = record.trailer();
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<proto::Trailer> ReadTrailerAtEnd(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string tail, ReadTail(path));
  proto::Trailer trailer;
  for (size_t begin = tail.size(); begin > 0; --begin) {
    const absl::string_view rest = absl::string_view(tail).substr(begin - 1);
    if (rest[0] == static_cast<char>(kRecordTag) && ParseTrailer(rest, trailer)) {
      return trailer;
    }
  }
  return absl::DataLossError(absl::StrCat(path, ": has no trailer at its end"));
}

}  // namespace lockstep
