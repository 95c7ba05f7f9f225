#include "lib/base/csv_cell.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

// "Total number of characters that a cell can contain" from Excel's specifications and limits.
constexpr size_t kMaxCellBytes = 32'767;
constexpr absl::string_view kCut = "...";

bool IsSpace(uint32_t character) {
  return character == ' ' || (character >= '\t' && character <= '\r') || character == 0xA0 ||
         (character >= 0x2000 && character <= 0x200A) || character == 0x202F || character == 0x205F ||
         character == 0x3000;
}

// Returns true if a spreadsheet takes a cell that begins with `character` for a formula. U+FF01 to U+FF5E are ASCII in
// full width, which some spreadsheets read as ASCII.
bool BeginsFormula(uint32_t character) {
  const uint32_t narrow = character >= 0xFF01 && character <= 0xFF5E ? character - 0xFF01 + '!' : character;
  return narrow == '=' || narrow == '+' || narrow == '-' || narrow == '@';
}

// Returns true if `text` is a number, or numbers with signs and brackets such as "-0.50 [-0.61, -0.39]". Such text
// calls no function and names no cell.
bool IsNumber(absl::string_view text) {
  double number = 0;
  return absl::SimpleAtod(text, &number) ||
         absl::StrReplaceAll(text, {{"±", "+"}}).find_first_not_of("0123456789+-.,%()[] ") == std::string::npos;
}

bool IsComputed(absl::string_view text) {
  if (IsNumber(text)) {
    return false;
  }
  for (size_t at = 0, size = 0; at < text.size(); at += size) {
    const uint32_t character = CharacterAt(text, at, size);
    if (!IsSpace(character)) {
      return BeginsFormula(character);
    }
  }
  return false;
}

std::string CutOff(const std::string& text) {
  return text.size() <= kMaxCellBytes ? text : absl::StrCat(FirstBytes(text, kMaxCellBytes - kCut.size()), kCut);
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string CsvCell(absl::string_view text) { return Quoted(ReadableText(text)); }

std::string CsvText(absl::string_view text) {
  const std::string readable = CutOff(ReadableText(text));
  return Quoted(IsComputed(readable) ? absl::StrCat("'", readable) : readable);
}

}  // namespace lockstep
