// Strings of JSON.
#ifndef LOCKSTEP_LIB_BASE_JSON_STRING_H_
#define LOCKSTEP_LIB_BASE_JSON_STRING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` as a JSON string with its quotation marks. Text that is not UTF-8 is converted by ToUtf8. Invisible
// characters are escaped (ReadableText); a JSON parser restores them. Thread-safe.
std::string JsonString(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_JSON_STRING_H_
