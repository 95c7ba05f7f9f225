#include "lib/published/latex_lines.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/published/remark_key.h"
#include "lib/published/table_markup.h"

namespace lockstep {

void LatexLines::Read(absl::string_view line, int number) {
  constexpr size_t kMaxRowBytes = 65536;
  const absl::string_view stripped = absl::StripAsciiWhitespace(line);
  if (stripped.empty()) {
    if (!is_in_tabular_) {
      TakeRow(number);
      builder_.EndTable();
    }
    builder_.EndTitle();
    return;
  }
  if (stripped[0] == '#' || stripped[0] == '%') {
    ReadRemark(stripped, number);
    return;
  }
  is_in_tabular_ =
      is_in_tabular_ || absl::StrContains(stripped, "\\begin{tabu") || absl::StrContains(stripped, "\\begin{longtable");
  if (absl::StrContains(stripped, "\\begin{table")) {
    builder_.ClearTitle();
  }
  absl::string_view rest = WithoutLatexComment(stripped);
  for (size_t end = rest.find("\\\\"); end != absl::string_view::npos; end = rest.find("\\\\")) {
    absl::StrAppend(&row_, " ", rest.substr(0, end));
    rest.remove_prefix(end + 2);
    if (absl::StartsWith(rest, "[")) {  // space after the row
      rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    }
    TakeRow(number);
  }
  if (absl::StrContains(rest, "&") || !row_.empty() || is_in_tabular_) {
    if (row_.size() + rest.size() <= kMaxRowBytes) {
      absl::StrAppend(&row_, " ", rest);
    } else {
      faults_.Add(number, absl::StrCat("expected rows of at most ", kMaxRowBytes, " bytes"));
    }
  } else {
    builder_.AddTitle(LatexText(rest));
  }
  if (absl::StrContains(rest, "\\end{")) {
    TakeRow(number);
    builder_.EndTable();
    is_in_tabular_ = false;
    builder_.ClearTitle();  // a caption below its table
  }
}

void LatexLines::ReadRemark(absl::string_view line, int number) {
  const std::string text(absl::StripLeadingAsciiWhitespace(line.substr(1)));
  if (line[0] == '#' || (!is_in_tabular_ && IsKnownKey(RemarkOf(text, number).key))) {
    builder_.AddRemark(text, number);
  }
}

void LatexLines::TakeRow(int number) {
  const std::string row = std::exchange(row_, "");
  if (absl::StrContains(row, "&")) {
    builder_.AddRow(LatexCells(row), number);
  }
}

}  // namespace lockstep
