// Text of any bytes (a path, the name of a folder, the content of a broken file) in the form that a terminal, a page
// and a protobuf string accept.
#ifndef LOCKSTEP_LIB_BASE_READABLE_LINE_H_
#define LOCKSTEP_LIB_BASE_READABLE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns whether protobuf's parser accepts `text` as a string.
bool IsUtf8(absl::string_view text);

// Returns UTF-8 unchanged. In any other text every byte above ASCII becomes the four characters \xHH.
std::string ToUtf8(absl::string_view text);

// Returns `text` as one line on which a person sees every character. A line end becomes "; ". These are escaped:
// - bytes of text that is not UTF-8, as ToUtf8 does; other control characters of ASCII: \xHH;
// - the control characters U+0080 to U+009F, marks that change the direction of writing, line and paragraph separators,
//   noncharacters, and characters without a width: \uHHHH, or two of them (a UTF-16 pair) above U+FFFF.
// The joiners U+200C and U+200D and variation selectors stay: words of some languages and emoji need them.
// The result of a second call is the same. Thread-safe.
std::string ReadableLine(absl::string_view text);

// Returns `text` of several lines with each line as ReadableLine returns it, and with its tabs. Line ends stay as they
// are ("\n" or "\r\n"). JSON stays valid JSON with the same values: it has no raw control characters, and the other
// escapes are JSON's own. Thread-safe.
std::string ReadableText(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_READABLE_LINE_H_
