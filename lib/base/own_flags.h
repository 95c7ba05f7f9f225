// The flags that this program itself declares. Abseil's own (flagfile, undefok, ...) are neither shown nor accepted.
#ifndef LOCKSTEP_LIB_BASE_OWN_FLAGS_H_
#define LOCKSTEP_LIB_BASE_OWN_FLAGS_H_

#include <map>
#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Null when there is none of that name.
absl::CommandLineFlag* FindOwnFlag(absl::string_view name);

// Whether it is for the tool's own child processes, and not to be shown: its help begins with "Internal:".
bool IsInternal(const absl::CommandLineFlag& flag);

// By name.
std::map<std::string, absl::CommandLineFlag*> OwnFlags();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OWN_FLAGS_H_
