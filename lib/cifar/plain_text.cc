#include "lib/cifar/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace lockstep {
namespace {

// Well-formed UTF-8 by first byte (The Unicode Standard, table 3-7): number of following bytes, and range of the second
// byte.
struct Lead {
  uint8_t low, high;
  size_t following;
  uint8_t second_low, second_high;
};
constexpr Lead kLeads[] = {
    {0x20, 0x7E, 0, 0, 0},       {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF},
    {0xE1, 0xEC, 2, 0x80, 0xBF}, {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF},
    {0xF0, 0xF0, 3, 0x90, 0xBF}, {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F},
};

// Returns the length of the character at the front; 0 if there is no valid one.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  for (const Lead& lead : kLeads) {
    if (byte(0) < lead.low || byte(0) > lead.high) {
      continue;
    }
    if (text.size() <= lead.following ||
        (lead.following > 0 && (byte(1) < lead.second_low || byte(1) > lead.second_high))) {
      return 0;
    }
    for (size_t i = 2; i <= lead.following; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) {
        return 0;
      }
    }
    return 1 + lead.following;
  }
  return 0;
}

}  // namespace

bool IsPlainText(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    if (bytes == 0) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace lockstep
