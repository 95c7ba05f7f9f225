#include "lib/warnings/limits.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/warnings/severity.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// Returns the first sentence of `text` without its full stop. The next sentence begins with a capital letter.
absl::string_view FirstSentence(absl::string_view text) {
  for (size_t end = text.find(". "); end != absl::string_view::npos; end = text.find(". ", end + 1)) {
    if (end + 2 < text.size() && absl::ascii_isupper(static_cast<unsigned char>(text[end + 2]))) {
      return text.substr(0, end);
    }
  }
  return absl::StripSuffix(text, ".");
}

// Returns the sentence of a rule with `count` warnings, the first of which is `text`.
std::string LimitSentence(absl::string_view text, size_t count) {
  const size_t more = count - 1;
  return absl::StrCat(FirstSentence(text),
                      more == 0 ? "" : absl::StrCat(" (", CountOf(more, "more warning"), " of this kind)"), ".");
}

}  // namespace

std::vector<std::string> LimitSentences(std::vector<Warning> warnings) {
  SortBySeverity(warnings);  // warnings of one rule are now next to each other
  std::vector<std::string> sentences;
  for (size_t begin = 0, end = 0; begin < warnings.size(); begin = end) {
    while (end < warnings.size() && warnings[end].rule == warnings[begin].rule) {
      ++end;
    }
    sentences.push_back(LimitSentence(warnings[begin].text, end - begin));
  }
  return sentences;
}

}  // namespace lockstep
