#include "lib/base/utf8.h"

namespace lockstep {
namespace {

// Smallest code point that needs `size` bytes.
uint32_t FirstOfSize(size_t size) { return size == 1 ? 0 : size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000; }

bool IsSurrogate(uint32_t character) { return character >= 0xD800 && character < 0xE000; }

}  // namespace

uint32_t CharacterAt(absl::string_view text, size_t at, size_t& size) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  uint32_t character = size == 1 ? first : first & (0xFFu >> (size + 1));
  bool whole = first < 0x80 || (first >= 0xC0 && first < 0xF8 && at + size <= text.size());
  for (size_t i = 1; whole && i < size; ++i) {
    whole = !BeginsCharacter(text[at + i]);
    character = character << 6 | (byte(at + i) & 0x3F);
  }
  whole = whole && character >= FirstOfSize(size) && character <= 0x10FFFF && !IsSurrogate(character);
  size = whole ? size : 1;
  return whole ? character : kNoCharacter;
}

absl::string_view FirstBytes(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return text;
  }
  size_t end = max_bytes;
  while (end > 0 && !BeginsCharacter(text[end])) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace lockstep
