#include "lib/warnings/repeat_command.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/renamed_flags.h"
#include "lib/base/shell_word.h"

namespace lockstep {
namespace {

// Returns "repeats" for "--repeats=5" and "--repeats"; an empty text for a word that is no flag.
absl::string_view FlagName(absl::string_view word) {
  if (!absl::StartsWith(word, "-")) {
    return "";
  }
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word.substr(0, word.find('='));
}

}  // namespace

std::string RepeatCommand(const proto::Header& header, absl::string_view flag) {
  if (header.command_line().empty()) {
    return "";
  }
  std::vector<std::string> words;
  bool is_value = false;  // the word is the value of a flag that is left out: "--repeats 5"
  for (const std::string& given : header.command_line()) {
    const std::string word = WithPresentFlags(given);
    const bool is_same = FlagName(word) == FlagName(flag);
    const bool is_kept = !is_value && !is_same && FlagName(word) != "force";
    is_value = is_same && !absl::StrContains(word, "=");
    if (is_kept) {
      words.push_back(ShellWord(word));
    }
  }
  return absl::StrCat(absl::StrJoin(words, " "), " ", flag, " --force");
}

}  // namespace lockstep
