#include "lib/published/table_cell.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/published/blank_cell.h"
#include "lib/published/label_words.h"
#include "lib/published/printed_number.h"

namespace lockstep {
namespace {

constexpr size_t kMaxCellBytes = 60;  // longer than a number with its sign, spread and unit
constexpr absl::string_view kPlusMinus = "\xC2\xB1";

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Returns the text with ASCII characters for spaces and signs, without marks of footnotes and of emphasis.
std::string Ascii(absl::string_view text) {
  const std::string plain = absl::StrReplaceAll(text, {{"\xC2\xA0", " "},      // no-break space
                                                       {"\xE2\x80\x89", " "},  // thin space
                                                       {"\xE2\x80\xAF", " "},  // narrow no-break space
                                                       {"\xE2\x88\x92", "-"},  // minus sign
                                                       {"\xC3\x97", "x"},      // multiplication sign
                                                       {"\xE2\x89\x88", "~"},  // almost equal
                                                       {"\xE2\x80\xA0", ""},   // dagger
                                                       {"+/-", kPlusMinus},
                                                       {"+-", kPlusMinus},
                                                       {"*", ""}});
  return std::string(absl::StripAsciiWhitespace(plain));
}

// Returns the length of the number at the beginning of `text`: digits, and the separators between digits.
size_t NumberLength(absl::string_view text) {
  size_t at = absl::StartsWith(text, "-") ? 1 : 0;
  const auto digit_at = [&](size_t i) { return i < text.size() && IsDigit(text[i]); };
  while (at < text.size()) {
    const char c = text[at];
    const bool is_group = c == ' ' && at > 0 && IsDigit(text[at - 1]) && digit_at(at + 1) && digit_at(at + 2) &&
                          digit_at(at + 3) && !digit_at(at + 4);
    const bool is_point = (c == '.' || c == ',' || c == ':') && digit_at(at + 1);
    if (!IsDigit(c) && !is_group && !is_point) {
      break;
    }
    ++at;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const size_t power = at + 1 + (at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0);
    if (at > 0 && digit_at(power)) {
      at = std::find_if_not(text.begin() + power, text.end(), IsDigit) - text.begin();
    }
  }
  return at;
}

// Returns true for 1 to 3 digits, the first not 0, and groups of 3 after each separator.
bool AreThousands(absl::string_view whole, char separator) {
  const std::vector<absl::string_view> groups = absl::StrSplit(whole, separator);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i == 0 ? groups[i].empty() || groups[i].size() > 3 || groups[i][0] == '0' : groups[i].size() != 3) {
      return false;
    }
  }
  return true;
}

// Returns the digits without thousands separators, and with a decimal point.
absl::StatusOr<std::string> PlainDigits(absl::string_view number, CommaMeaning comma) {
  const char decimal = comma == CommaMeaning::kDecimal ? ',' : '.', thousands = decimal == ',' ? '.' : ',';
  const absl::string_view digits = absl::StripPrefix(number, "-");
  const size_t point = digits.find(decimal);
  const absl::string_view whole = digits.substr(0, point);
  const absl::string_view rest = point == absl::string_view::npos ? "" : digits.substr(point + 1);
  if (comma == CommaMeaning::kDecimal && point == absl::string_view::npos && absl::StrContains(whole, ".")) {
    return absl::InvalidArgumentError(
        "a point, and other cells have a decimal comma; write one decimal sign throughout");
  }
  for (const char separator : {thousands, ' '}) {
    if (absl::StrContains(whole, std::string(1, separator)) && !AreThousands(whole, separator)) {
      return absl::InvalidArgumentError("a comma that does not separate thousands; write a decimal point");
    }
  }
  if (rest.find_first_of(",. ") != absl::string_view::npos) {
    return absl::InvalidArgumentError("two decimal signs; write one number per cell");
  }
  return absl::StrCat(number.size() > digits.size() ? "-" : "",
                      absl::StrReplaceAll(whole, {{std::string(1, thousands), ""}, {" ", ""}}),
                      point == absl::string_view::npos ? "" : ".", rest);
}

// Returns the seconds of "2:05", "2:05.3" or "1:02:05".
absl::StatusOr<std::string> SecondsOfClock(absl::string_view digits) {
  const std::vector<absl::string_view> parts = absl::StrSplit(digits, ':');
  const absl::string_view last = parts.back();
  const size_t point = std::min(last.find('.'), last.size());
  uint64_t seconds = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const absl::string_view part = i + 1 == parts.size() ? last.substr(0, point) : parts[i];
    uint32_t number = 0;
    const bool is_valid = absl::SimpleAtoi(part, &number) && IsDigit(part[0]) && part.size() <= (i == 0 ? 6u : 2u) &&
                          (i == 0 || (part.size() == 2 && number < 60));
    if (parts.size() > 3 || !is_valid) {
      return absl::InvalidArgumentError("expected a clock time such as 2:05 (minutes and seconds) or 1:02:05");
    }
    seconds = seconds * 60 + number;
  }
  return absl::StrCat(seconds, last.substr(point));
}

}  // namespace

absl::StatusOr<TableCell> ParseTableCell(absl::string_view text, CommaMeaning comma) {
  const std::string plain = Ascii(text);
  TableCell cell;
  if (plain.empty() || StatesNoNumber(plain)) {
    return cell;
  }
  absl::string_view rest = plain;
  for (const char* sign : {"~", "+", "x"}) {
    if (absl::ConsumePrefix(&rest, sign)) {
      cell.unit = *sign == 'x' ? "1" : "";
      rest = absl::StripLeadingAsciiWhitespace(rest);
    }
  }
  const absl::string_view number = rest.substr(0, NumberLength(rest));
  rest = absl::StripAsciiWhitespace(rest.substr(number.size()));
  if (plain.size() > kMaxCellBytes || number.empty() || number == "-") {
    return absl::InvalidArgumentError("expected a number, or OOM, N/A, - or an empty cell");
  }
  if (absl::ConsumePrefix(&rest, kPlusMinus)) {
    rest = absl::StripLeadingAsciiWhitespace(rest);
    const absl::string_view spread = rest.substr(0, NumberLength(rest));
    cell.spread = absl::StrCat(kPlusMinus, " ", spread);
    rest = absl::StripLeadingAsciiWhitespace(rest.substr(spread.size()));
  }
  if (!rest.empty()) {
    cell.unit = UnitMeantBy(rest).unit;
    if (cell.unit.empty()) {
      return absl::InvalidArgumentError("expected a unit after the number, such as s, ms, % or GB/s");
    }
  }
  ASSIGN_OR_RETURN(cell.digits, PlainDigits(number, comma));
  if (absl::StrContains(cell.digits, ":")) {
    ASSIGN_OR_RETURN(cell.digits, SecondsOfClock(cell.digits));
    if (!cell.unit.empty() && cell.unit != "s" && cell.unit != "mm:ss") {
      return absl::InvalidArgumentError("a clock time has no unit");
    }
    cell.unit = "s";
  }
  if (!ParsePrintedNumber(cell.digits).ok()) {
    return absl::InvalidArgumentError("expected one plain number, such as 1.41695 or 1.7e+10");
  }
  return cell;
}

}  // namespace lockstep
