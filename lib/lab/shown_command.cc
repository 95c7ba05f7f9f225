#include "lib/lab/shown_command.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/shell_word.h"

namespace lockstep {

std::string ShownCommand(const std::vector<std::string>& command) {
  return absl::StrJoin(command, " ",
                       [](std::string* out, const std::string& word) { absl::StrAppend(out, ShellWord(word)); });
}

}  // namespace lockstep
