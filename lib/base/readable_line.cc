#include "lib/base/readable_line.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "google/protobuf/stubs/common.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

struct CharacterRange {
  uint32_t first;
  uint32_t last;
};

// Characters above ASCII that are invisible or move the text around them: Unicode's C1 controls, line and paragraph
// separators, interlinear annotations, noncharacters of the first plane, and Default_Ignorable_Code_Point
// (DerivedCoreProperties.txt of Unicode 15) without U+200C, U+200D and the variation selectors.
constexpr CharacterRange kUnseen[] = {
    {0x80, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},   {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180E, 0x180E},   {0x200B, 0x200B},   {0x200E, 0x200F},   {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF}, {0xE01F0, 0xE0FFF},
};

bool IsSeen(uint32_t character) {
  if (character < 0x80) {
    return character >= 0x20 && character != 0x7F;
  }
  for (const CharacterRange& range : kUnseen) {
    if (character >= range.first && character <= range.last) {
      return false;
    }
  }
  return (character & 0xFFFE) != 0xFFFE;  // the last two of each plane are noncharacters
}

// Returns an escape such as "\x1b", "\u202e" or "\udb40\udc41".
std::string Escaped(uint32_t character) {
  if (character < 0x80) {
    return absl::StrFormat("\\x%02x", character);
  }
  if (character < 0x10000) {
    return absl::StrFormat("\\u%04x", character);
  }
  const uint32_t offset = character - 0x10000;
  return absl::StrFormat("\\u%04x\\u%04x", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

enum class Tabs { kEscaped, kKept };

void AppendReadable(absl::string_view utf8, Tabs tabs, std::string& line) {
  for (size_t at = 0, size = 0; at < utf8.size(); at += size) {
    const uint32_t character = CharacterAt(utf8, at, size);
    if (character == '\n') {
      line += "; ";
    } else if (IsSeen(character) || (tabs == Tabs::kKept && character == '\t')) {
      line.append(utf8.data() + at, size);
    } else {
      line += Escaped(character);
    }
  }
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  return google::protobuf::internal::IsStructurallyValidUTF8(text.data(), static_cast<int>(text.size()));
}

std::string ToUtf8(absl::string_view text) {
  if (IsUtf8(text)) {
    return std::string(text);
  }
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8.push_back(c);
    } else {
      absl::StrAppendFormat(&utf8, "\\x%02x", byte);
    }
  }
  return utf8;
}

std::string ReadableLine(absl::string_view text) {
  std::string line;
  AppendReadable(ToUtf8(text), Tabs::kEscaped, line);
  return line;
}

std::string ReadableText(absl::string_view text) {
  std::string readable;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    absl::string_view line = text.substr(0, end);
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
    const bool ended = end != absl::string_view::npos;
    const bool returns = ended && absl::ConsumeSuffix(&line, "\r");
    AppendReadable(ToUtf8(line), Tabs::kKept, readable);
    absl::StrAppend(&readable, returns ? "\r" : "", ended ? "\n" : "");
  }
  return readable;
}

}  // namespace lockstep
