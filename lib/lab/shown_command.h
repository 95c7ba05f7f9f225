// Commands as a user can paste them into a shell.
#ifndef LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_
#define LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the word as bash reads it, in printable ASCII: unchanged, in single quotes, or as $'...' with octal escapes.
std::string ShellWord(absl::string_view word);

// Returns the words, quoted and separated by spaces.
std::string ShownCommand(const std::vector<std::string>& command);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_
