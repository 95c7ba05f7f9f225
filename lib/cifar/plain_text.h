// Check of names from outside that are put into one-line messages and into records (a protobuf string is UTF-8).
#ifndef LOCKSTEP_LIB_CIFAR_PLAIN_TEXT_H_
#define LOCKSTEP_LIB_CIFAR_PLAIN_TEXT_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true for well-formed UTF-8 (The Unicode Standard, table 3-7) without control characters (U+0000 to U+001F,
// U+007F).
bool IsPlainText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PLAIN_TEXT_H_
