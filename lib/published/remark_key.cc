#include "lib/published/remark_key.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "lib/published/document_key.h"
#include "lib/published/label_words.h"

namespace lockstep {

bool IsKnownKey(const std::string& key) {
  return std::find(std::begin(kTableKeys), std::end(kTableKeys), key) != std::end(kTableKeys) ||
         !DocumentKeyMeantBy(key).empty();
}

TableRemark RemarkOf(absl::string_view text, int number) {
  constexpr size_t kMaxKeyBytes = 60;
  TableRemark remark = {number, "", ""};
  const size_t at = text.find_first_of(":=");
  if (at == absl::string_view::npos || at > kMaxKeyBytes) {
    return remark;
  }
  const absl::string_view printed = absl::StripAsciiWhitespace(text.substr(0, at));
  const std::string words = absl::AsciiStrToLower(absl::StrReplaceAll(printed, {{"_", " "}, {"-", " "}}));
  std::string key = absl::StrReplaceAll(words, {{" ", "_"}});
  if (const TableAxis axis = AxisMeantBy(words); axis != TableAxis::kNone) {
    key = axis == TableAxis::kBatch ? "batch" : "devices";
  } else if (key == "units") {
    key = "unit";
  }
  if (IsKnownKey(key) || (text[at] == '=' && !printed.empty() && !absl::StrContains(printed, " "))) {
    remark.key = std::move(key);
    remark.value = std::string(absl::StripAsciiWhitespace(text.substr(at + 1)));
  }
  return remark;
}

}  // namespace lockstep
