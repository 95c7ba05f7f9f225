#include "lib/published/left_out_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/nearest_word.h"
#include "lib/base/utf8.h"
#include "lib/published/label_tokens.h"
#include "lib/published/label_words.h"
#include "lib/published/table_label.h"

namespace lockstep {
namespace {

constexpr size_t kMaxNameBytes = 60;
constexpr size_t kMaxShownNames = 20;

std::vector<std::string> UnknownWords(const TableLabel& label) {
  return absl::StrSplit(label.unknown, ' ', absl::SkipEmpty());
}

// Returns the known word that an unknown word of the label is probably a misspelling of; empty if there is none.
std::string MisspelledWord(const TableLabel& label) {
  const std::vector<std::string>& known = KnownLabelWords();
  for (const std::string& word : UnknownWords(label)) {
    // A known word is no misspelling, but stands where it has no meaning: "hours" in "total GPU hours".
    const std::string nearest = std::binary_search(known.begin(), known.end(), word) ? "" : NearestWord(word, known);
    if (!nearest.empty()) {
      return nearest;
    }
  }
  return "";
}

}  // namespace

bool LeftOutNames::Add(absl::string_view name, uint32_t numbers) {
  const TableLabel label = ParseTableLabel(name);
  const std::vector<std::string> unknown = UnknownWords(label);
  if (label.contradicts || unknown.empty() || std::any_of(unknown.begin(), unknown.end(), IsNumberWord) ||
      ++searches_ > kMaxLeftOutNames || !MisspelledWord(label).empty()) {
    return false;
  }
  proto::LeftOutName& left_out = names_.emplace_back();
  left_out.set_name(std::string(FirstBytes(name, kMaxNameBytes)));
  left_out.set_numbers(numbers);
  return true;
}

std::string LeftOutNames::Suggestion(absl::string_view name) {
  const std::string nearest = ++searches_ > kMaxLeftOutNames ? "" : MisspelledWord(ParseTableLabel(name));
  return nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?");
}

std::vector<proto::LeftOutName> LeftOutNames::Take() { return std::exchange(names_, {}); }

std::string LeftOutText(const proto::PublishedTables& tables) {
  std::vector<std::string> names;
  size_t more = 0;
  for (const proto::PublishedTable& table : tables.table()) {
    for (const proto::LeftOutName& name : table.left_out()) {
      if (names.size() == kMaxShownNames) {
        ++more;
        continue;
      }
      names.push_back(
          absl::StrCat("'", name.name(), "' (", name.numbers(), name.numbers() == 1 ? " number)" : " numbers)"));
    }
  }
  return absl::StrCat(absl::StrJoin(names, ", "), more > 0 ? absl::StrCat(", and ", more, " more") : "");
}

}  // namespace lockstep
