// Conversion of arbitrary bytes (a path, the name of a folder, the content of a broken file) to text that a terminal,
// an HTML page and a protobuf string accept.
#ifndef LOCKSTEP_LIB_BASE_READABLE_LINE_H_
#define LOCKSTEP_LIB_BASE_READABLE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true if protobuf's parser accepts `text` as a string.
bool IsUtf8(absl::string_view text);

// Returns UTF-8 unchanged. In any other text every byte above ASCII becomes the four characters \xHH.
std::string ToUtf8(absl::string_view text);

// Returns `text` as one line in which every character is visible. A line end becomes "; ". Escaped are:
// - as \xHH: bytes of text that is not UTF-8 (ToUtf8), and the other control characters of ASCII;
// - as \uHHHH, or as a UTF-16 pair above U+FFFF: the control characters U+0080 to U+009F, marks that change the
//   direction of writing, line and paragraph separators, noncharacters, and characters of zero width.
// The joiners U+200C and U+200D and variation selectors stay, because words of some languages and emoji need them.
// Applying the function twice gives the same result as once. Thread-safe.
std::string ReadableLine(absl::string_view text);

// Applies ReadableLine to each line of `text`, but keeps tabs and line ends ("\n" or "\r\n"). JSON stays valid JSON
// with the same values, because it has no raw control characters and \uHHHH is JSON's own escape. Thread-safe.
std::string ReadableText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_READABLE_LINE_H_
