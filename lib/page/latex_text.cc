#include "lib/page/latex_text.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

constexpr size_t kLongWord = 12;   // words longer than this may be broken, at the latest after this many characters
constexpr size_t kNamedWidth = 8;  // width of "(U+4E2D)"

const std::map<uint32_t, const char*>& Commands() {
  static const auto* commands = new std::map<uint32_t, const char*>({
      {'\\', "\\textbackslash{}"},
      {'{', "\\{"},
      {'}', "\\}"},
      {'$', "\\$"},
      {'&', "\\&"},
      {'#', "\\#"},
      {'%', "\\%"},
      {'^', "\\textasciicircum{}"},
      {'~', "\\textasciitilde{}"},
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'|', "\\textbar{}"},
      {'"', "\\char34{}"},  // the same in both of LaTeX's encodings
      {'\'', "\\textquotesingle{}"},
      {'`', "\\textasciigrave{}"},
      {'-', "-{}"},  // two would become a dash
      {',', ",{}"},  // two would become a quotation mark
      {'[', "{[}"},  // after the end of a row it would be an argument
      {']', "{]}"},
      {'*', "{*}"},
      {0xA0, "~"},
      {0xB0, "\\textdegree{}"},
      {0xB1, "\\textpm{}"},
      {0xB2, "\\textsuperscript{2}"},
      {0xB3, "\\textsuperscript{3}"},
      {0xB5, "\\textmu{}"},
      {0xB7, "\\textperiodcentered{}"},
      {0xB9, "\\textsuperscript{1}"},
      {0xD7, "\\texttimes{}"},
      {0xF7, "\\textdiv{}"},
      {0x2013, "\\textendash{}"},
      {0x2014, "\\textemdash{}"},
      {0x2018, "\\textquoteleft{}"},
      {0x2019, "\\textquoteright{}"},
      {0x201C, "\\textquotedblleft{}"},
      {0x201D, "\\textquotedblright{}"},
      {0x2026, "\\ldots{}"},
      {0x2192, "\\ensuremath{\\rightarrow}"},
      {0x2212, "\\ensuremath{-}"},
      {0x221A, "\\ensuremath{\\surd}"},
      {0x2248, "\\ensuremath{\\approx}"},
      {0x2264, "\\ensuremath{\\leq}"},
      {0x2265, "\\ensuremath{\\geq}"},
  });
  return *commands;
}

// Returns true if fonts contain the character itself. À to ÿ are in every T1 font.
bool IsSet(uint32_t character) { return character < 0x7F || (character >= 0xC0 && character <= 0xFF); }

size_t WidthOf(uint32_t character) {
  const bool named = character == kNoCharacter || (!IsSet(character) && Commands().count(character) == 0);
  return named ? kNamedWidth : 1;
}

// Returns true for characters after which a path or a field's name may be broken.
bool BreaksAfter(uint32_t character) {
  return character == '_' || character == '/' || character == '=' || character == '.' || character == ':' ||
         character == ',' || character == '-';
}

size_t WordEnd(absl::string_view text, size_t at) {
  while (at < text.size() && text[at] != 0x7F && (static_cast<unsigned char>(text[at]) > ' ')) {
    ++at;
  }
  return at;
}

std::string OneCharacter(uint32_t character, absl::string_view bytes) {
  const auto command = Commands().find(character);
  if (command != Commands().end()) {
    return command->second;
  }
  if (character == '_') {
    return "\\_";
  }
  if (character == kNoCharacter) {
    return absl::StrFormat("(0x%02X)", static_cast<unsigned char>(bytes[0]));
  }
  return IsSet(character) ? std::string(bytes) : absl::StrFormat("(U+%04X)", character);
}

}  // namespace

std::string EscapeLatex(absl::string_view text) {
  std::string escaped;
  size_t word_end = 0, shown = 0;  // shown: width since the last possible break of the word
  bool long_word = false;
  for (size_t at = 0, size = 0; at < text.size(); at += size) {
    const uint32_t character = CharacterAt(text, at, size);
    if (character < 0x20 || character == 0x7F || character == ' ') {
      escaped += ' ';
      continue;
    }
    if (at >= word_end) {
      word_end = WordEnd(text, at);
      long_word = LatexWidth(text.substr(at, word_end - at)) > kLongWord;
      shown = 0;
    }
    escaped += OneCharacter(character, text.substr(at, size));
    shown += LatexWidth(text.substr(at, size));
    if (long_word && at + size < word_end && (BreaksAfter(character) || shown >= kLongWord)) {
      escaped += "\\allowbreak{}";
      shown = 0;
    }
  }
  return escaped;
}

std::string LatexName(absl::string_view text) {
  std::string name;
  for (const char c : text) {
    name += absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '-';
  }
  return name;
}

bool IsLatexFileName(absl::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("._/+=-").find(c) != absl::string_view::npos;
  });
}

size_t LatexWidth(absl::string_view text) {
  size_t width = 0;
  for (size_t at = 0, size = 0; at < text.size(); at += size) {
    width += WidthOf(CharacterAt(text, at, size));
  }
  return width;
}

absl::string_view LatexPrefix(absl::string_view text, size_t width) {
  size_t at = 0;
  for (size_t size = 0, used = 0; at < text.size(); at += size) {
    used += WidthOf(CharacterAt(text, at, size));
    if (at > 0 && used > width) {
      break;
    }
  }
  return text.substr(0, at);
}

}  // namespace lockstep
