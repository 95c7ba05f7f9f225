#include "lib/base/json_string.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/readable_line.h"

namespace lockstep {

std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (const char c : ToUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      absl::StrAppendFormat(&json, "\\u%04x", byte);
    } else {
      absl::StrAppend(&json, c == '"' || c == '\\' ? "\\" : "", absl::string_view(&c, 1));
    }
  }
  return ReadableText(absl::StrCat(json, "\""));
}

}  // namespace lockstep
