#include "lib/base/readable_line.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/stubs/common.h"

namespace lockstep {
namespace {

std::string Escaped(char c) { return absl::StrCat("\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2)); }

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

bool IsUtf8(absl::string_view text) {
  return google::protobuf::internal::IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()));
}

std::string ToUtf8(absl::string_view text) {
  if (IsUtf8(text)) {
    return std::string(text);
  }
  std::string utf8;
  for (const char c : text) {
    IsAscii(c) ? utf8.push_back(c) : absl::StrAppend(&utf8, Escaped(c));
  }
  return utf8;
}

std::string ReadableLine(absl::string_view text) {
  std::string line;
  for (const char c : ToUtf8(text)) {
    if (c == '\n') {
      line += "; ";
    } else {
      IsControl(c) ? absl::StrAppend(&line, Escaped(c)) : line.push_back(c);
    }
  }
  return line;
}

}  // namespace lockstep
