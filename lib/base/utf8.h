// Characters of a UTF-8 text: decoding, and cutting between two characters.
#ifndef LOCKSTEP_LIB_BASE_UTF8_H_
#define LOCKSTEP_LIB_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true if the byte of UTF-8 text begins a character, and false if it continues one.
inline bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// Value of CharacterAt for a byte that does not begin a character.
inline constexpr uint32_t kNoCharacter = 0xFFFFFFFF;

// Returns the code point of the character at text[at], and sets `size` to its number of bytes. `at` must be less than
// text.size(). If the bytes are not UTF-8 (cut off, overlong, a surrogate, above U+10FFFF), returns kNoCharacter with
// `size` 1. Thread-safe.
uint32_t CharacterAt(absl::string_view text, size_t at, size_t& size);

// Returns the first `max_bytes` of `text`, or fewer if a UTF-8 character would be cut. Thread-safe.
absl::string_view FirstBytes(absl::string_view text, size_t max_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_UTF8_H_
