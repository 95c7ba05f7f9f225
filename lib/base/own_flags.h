// Flags that this program itself declares. Abseil's own flags (flagfile, undefok, ...) are neither shown nor accepted.
#ifndef LOCKSTEP_LIB_BASE_OWN_FLAGS_H_
#define LOCKSTEP_LIB_BASE_OWN_FLAGS_H_

#include <map>
#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the flag, or null if this program declares no flag of that name.
absl::CommandLineFlag* FindOwnFlag(absl::string_view name);

// Returns true if the flag is only for the tool's own child processes and not shown: its help begins with "Internal:".
bool IsInternal(const absl::CommandLineFlag& flag);

// Returns all flags by name.
std::map<std::string, absl::CommandLineFlag*> OwnFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OWN_FLAGS_H_
