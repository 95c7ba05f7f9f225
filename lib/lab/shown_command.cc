#include "lib/lab/shown_command.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lockstep {

std::string ShellWord(absl::string_view word) {
  constexpr absl::string_view kPlain = "-_=,./:+@%";  // characters without a meaning for the shell, besides letters
  const auto is_plain = [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != kPlain.npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    return std::string(word);
  }
  const auto is_quotable = [](char c) { return absl::ascii_isprint(static_cast<unsigned char>(c)) && c != '\''; };
  if (std::all_of(word.begin(), word.end(), is_quotable)) {
    return absl::StrCat("'", word, "'");
  }
  std::string quoted = "$'";
  for (const char c : word) {
    if (is_quotable(c) && c != '\\') {
      quoted += c;
    } else {
      absl::StrAppendFormat(&quoted, "\\%03o", static_cast<unsigned char>(c));
    }
  }
  return quoted + "'";
}

std::string ShownCommand(const std::vector<std::string>& command) {
  return absl::StrJoin(command, " ",
                       [](std::string* out, const std::string& word) { absl::StrAppend(out, ShellWord(word)); });
}

}  // namespace lockstep
