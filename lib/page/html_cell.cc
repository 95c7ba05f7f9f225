#include "lib/page/html_cell.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/utf8.h"
#include "lib/page/escape.h"
#include "lib/page/render.h"

namespace lockstep {
namespace {

constexpr size_t kLongText = 24;  // labels longer than this may be wrapped
constexpr size_t kProse = 80;     // labels longer than this are sentences
constexpr size_t kDigestDigits = 64;
constexpr size_t kMaxUnit = 12;  // longest text after the comma of a heading that is a unit
// Widths of a digit at 14 and 12 px, of the space before a spread, and of the padding of a cell (html_style.h).
constexpr double kDigit = 8.9, kSmallDigit = 7.6, kSpreadGap = 5, kPadding = 14;

// Returns the position of the space before the spread or interval; npos if the text has neither.
size_t SpreadBegin(const std::string& text) { return std::min(text.find(" ±"), text.find(" [")); }

// Returns the number of characters of UTF-8 text.
size_t Characters(absl::string_view text) { return static_cast<size_t>(absl::c_count_if(text, BeginsCharacter)); }

// Returns the spread or interval of a cell as shown; empty if it has none.
std::string ShownSpread(const std::string& text) {
  const size_t begin = SpreadBegin(text);
  if (begin == std::string::npos) {
    return "";
  }
  absl::string_view spread = absl::string_view(text).substr(begin + 1);
  const std::string whole(spread);
  if (absl::ConsumePrefix(&spread, "[") && absl::ConsumeSuffix(&spread, "]") && !absl::StrContains(spread, '-')) {
    return absl::StrReplaceAll(spread, {{", ", "–"}});
  }
  return absl::StrReplaceAll(whole, {{"± ", "±\u00a0"}});
}

// Returns the position of the comma before the unit of a heading; npos if it has no unit.
size_t UnitBegin(const std::string& heading) {
  const size_t comma = heading.rfind(", ");
  return comma == std::string::npos || heading.size() - comma - 2 > kMaxUnit ? std::string::npos : comma;
}

// Returns the length of the longest word: a heading is broken between words and after a hyphen.
size_t LongestWord(const std::string& heading) {
  size_t longest = 0;
  for (const absl::string_view word : absl::StrSplit(absl::StrReplaceAll(heading, {{"-", "- "}}), ' ')) {
    longest = std::max(longest, Characters(word));
  }
  return longest;
}

}  // namespace

std::string ClassOf(const std::vector<std::string>& names) {
  std::string classes;
  for (const std::string& name : names) {
    absl::StrAppend(&classes, classes.empty() || name.empty() ? "" : " ", name);
  }
  return classes.empty() ? "" : absl::StrCat(" class=\"", classes, "\"");
}

std::string NumberHtml(const std::string& text) {
  const std::string spread = ShownSpread(text);
  return spread.empty() ? EscapeHtml(text)
                        : absl::StrCat(EscapeHtml(text.substr(0, SpreadBegin(text))), " <span class=\"spread\">",
                                       EscapeHtml(spread), "</span>");
}

size_t SpreadLength(const std::string& text) { return Characters(ShownSpread(text)); }

size_t SpreadLength(const proto::Table& table, int column) {
  size_t longest = 0;
  for (const proto::Row& row : table.row()) {
    longest = std::max(longest, SpreadLength(row.cell(column).text()));
  }
  return longest;
}

std::string HeadingHtml(const std::string& heading, const std::string& mark) {
  const size_t unit = UnitBegin(heading);
  return absl::StrCat(EscapeHtml(heading.substr(0, unit)), mark,
                      unit == std::string::npos
                          ? ""
                          : absl::StrCat("<span class=\"unit\">", EscapeHtml(heading.substr(unit + 2)), "</span>"));
}

std::string LabelClass(const std::string& text) {
  const bool hex = absl::c_all_of(text, [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
  return text.size() == kDigestDigits && hex ? "digest"
         : text.size() > kProse              ? "prose"
         : text.size() > kLongText           ? "long"
                                             : "";
}

bool ShowsNumbers(const proto::Table& table, int column) {
  return IsNumeric(table, column) || absl::c_all_of(table.row(), [&](const proto::Row& row) {
           const proto::Cell& cell = row.cell(column);
           return !cell.absent_reason().empty() ||
                  (!cell.text().empty() && cell.text().find_first_not_of("0123456789,.") == std::string::npos);
         });
}

double WidthInPixels(const proto::Table& table) {
  double width = 0;
  for (int i = 0; i < table.column_size(); ++i) {
    const std::string& heading = table.column(i);
    size_t widest = LongestWord(heading.substr(0, UnitBegin(heading)));
    for (const proto::Row& row : table.row()) {
      const std::string& text = row.cell(i).text();
      widest = std::max(widest, std::min(Characters(text.substr(0, SpreadBegin(text))), kLongText));
    }
    const size_t spread = SpreadLength(table, i);
    width += kDigit * static_cast<double>(widest) + kPadding +
             (spread > 0 ? kSmallDigit * static_cast<double>(spread) + kSpreadGap : 0);
  }
  return width;
}

}  // namespace lockstep
