// Words of a label of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_LABEL_TOKENS_H_
#define LOCKSTEP_LIB_PUBLISHED_LABEL_TOKENS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true for a word of digits only.
bool IsNumberWord(absl::string_view word);

// Returns true for one of the marks that WordsOfLabel keeps: ",", ":" and "=".
bool IsMark(absl::string_view word);

// Returns the text without the commas and spaces between groups of three digits: "1,024".
std::string WithoutThousands(absl::string_view text);

// Takes the texts in brackets out of `text`, and returns them. "GPU(s)" is a plural.
std::vector<std::string> TakeBrackets(std::string& text);

// Returns words in lower case, and the marks "," (also of other separators), ":" and "=". "a/b" becomes "a per b",
// unless it is a unit.
std::vector<std::string> WordsOfLabel(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LABEL_TOKENS_H_
