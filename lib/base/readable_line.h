// Text of any bytes (a path, a folder's name, what a broken file holds) as a terminal, a page and a protobuf string
// take it.
#ifndef LOCKSTEP_LIB_BASE_READABLE_LINE_H_
#define LOCKSTEP_LIB_BASE_READABLE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Whether protobuf's parser would take it as a string.
bool IsUtf8(absl::string_view text);

// UTF-8 as it is; in any other text every byte above ASCII becomes the four characters \xHH.
std::string ToUtf8(absl::string_view text);

// The same, and control characters as \xHH too, so that none reaches a terminal; a line end becomes "; ".
std::string ReadableLine(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_READABLE_LINE_H_
