#include "lib/base/shell_word.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

constexpr absl::string_view kPlain = "-_=,./:+@%";  // characters without a meaning for the shell, besides letters

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != absl::string_view::npos;
}

std::string WithOctalEscapes(absl::string_view word) {
  std::string quoted = "$'";
  for (const char c : word) {
    if (absl::ascii_isprint(static_cast<unsigned char>(c)) && c != '\'' && c != '\\') {
      quoted += c;
    } else {
      absl::StrAppendFormat(&quoted, "\\%03o", static_cast<unsigned char>(c));
    }
  }
  return quoted + "'";
}

}  // namespace

std::string ShellWord(absl::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) {
    return std::string(word);
  }
  return ReadableLine(word) == word ? absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'")
                                    : WithOctalEscapes(word);
}

}  // namespace lockstep
