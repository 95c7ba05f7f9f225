#include "lib/page/hand_in_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

// Returns the lines of `text` as one.
std::string OneLine(absl::string_view text) {
  std::string line;
  for (const absl::string_view part : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const bool ended = line.empty() || line.back() == '.' || line.back() == ':';
    absl::StrAppend(&line, line.empty() ? "" : ended ? " " : "; ", part);
  }
  return line;
}

}  // namespace

std::string ShortenedLine(absl::string_view text, size_t bytes) {
  const std::string line = OneLine(text);
  const absl::string_view start = FirstBytes(line, bytes);
  if (start.size() == line.size()) {
    return line;
  }
  const size_t sentence = start.rfind(". ");
  return sentence == absl::string_view::npos ? absl::StrCat(start, "...") : std::string(start.substr(0, sentence + 1));
}

}  // namespace lockstep
