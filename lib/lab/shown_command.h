// Commands as a user can paste them into a shell.
#ifndef LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_
#define LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_

#include <string>
#include <vector>

namespace lockstep {

// Returns the words, quoted where bash needs it (lib/base/shell_word.h) and separated by spaces.
std::string ShownCommand(const std::vector<std::string>& command);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_SHOWN_COMMAND_H_
