// Flags that had another name in an earlier version of any tool. The old name is refused; the error has the new one.
#ifndef LOCKSTEP_LIB_BASE_RENAMED_FLAGS_H_
#define LOCKSTEP_LIB_BASE_RENAMED_FLAGS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the error about an unknown flag of this name, without its dashes: "unknown flag --graph; it is named
// --cuda_graph now". "nograph" is the old name of a switch, too. Returns an empty text if no flag of this program had
// this name.
std::string RenamedFlagText(absl::string_view name);

// Returns `text`, an argument or a sentence of an earlier version of any tool, with the present names of its flags:
// "--batch_size=32" for "--batch=32", "--channels_last" for "--memory_format=channels_last". Thread-safe.
std::string WithPresentFlags(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_RENAMED_FLAGS_H_
