// A string of JSON.
#ifndef LOCKSTEP_LIB_BASE_JSON_STRING_H_
#define LOCKSTEP_LIB_BASE_JSON_STRING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` as a string of JSON with its quotation marks. Text that is not UTF-8 becomes UTF-8 as by ToUtf8.
// Characters that a person does not see are escaped (ReadableText); a reader of JSON gets them back. Thread-safe.
std::string JsonString(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_JSON_STRING_H_
