// Words of commands as a user can paste them into a shell.
#ifndef LOCKSTEP_LIB_BASE_SHELL_WORD_H_
#define LOCKSTEP_LIB_BASE_SHELL_WORD_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns text that a shell reads as this word, and that ReadableLine (readable_line.h) leaves as it is:
//     - the word itself, if it consists of ASCII letters, digits and "-_=,./:+@%";
//     - in single quotes, for any POSIX shell, if ReadableLine leaves the word as it is;
//     - $'...' with octal escapes, for bash and zsh, if the word has control characters or invalid UTF-8.
// Thread-safe.
std::string ShellWord(absl::string_view word);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_SHELL_WORD_H_
