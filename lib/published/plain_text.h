// Text of a file that a spreadsheet or an editor saved, in one encoding.
#ifndef LOCKSTEP_LIB_PUBLISHED_PLAIN_TEXT_H_
#define LOCKSTEP_LIB_PUBLISHED_PLAIN_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the text of a file without its byte-order mark. Lines keep their numbers.
// - UTF-16 with a byte-order mark, which spreadsheets save as "Unicode text", becomes UTF-8.
// - CR becomes LF if the text has no LF.
// - A first line `sep=;`, with which Excel names the separator, becomes empty.
// Other bytes are unchanged, valid UTF-8 or not. Returns InvalidArgumentError if UTF-16 is damaged.
absl::StatusOr<std::string> PlainText(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PLAIN_TEXT_H_
