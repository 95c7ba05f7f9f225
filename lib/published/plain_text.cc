#include "lib/published/plain_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace lockstep {
namespace {

constexpr absl::string_view kUtf8Mark = "\xEF\xBB\xBF", kUtf16LittleMark = "\xFF\xFE", kUtf16BigMark = "\xFE\xFF";

enum class ByteOrder { kLittle, kBig };

// Ranges of UTF-16's surrogates (RFC 2781): two of them, high and low, make a character from 0x10000 on.
constexpr uint32_t kHigh = 0xD800, kLow = 0xDC00, kEndOfLow = 0xE000;

uint32_t UnitAt(absl::string_view bytes, size_t at, ByteOrder order) {
  const uint32_t first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
  return order == ByteOrder::kLittle ? first | second << 8 : first << 8 | second;
}

void AppendUtf8(uint32_t character, std::string& text) {
  if (character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  if (character < 0x800) {
    text += static_cast<char>(0xC0 | character >> 6);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | character >> 12);
    text += static_cast<char>(0x80 | (character >> 6 & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | character >> 18);
    text += static_cast<char>(0x80 | (character >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (character >> 6 & 0x3F));
  }
  text += static_cast<char>(0x80 | (character & 0x3F));
}

absl::StatusOr<std::string> FromUtf16(absl::string_view bytes, ByteOrder order) {
  const absl::Status damaged =
      absl::InvalidArgumentError("expected whole characters of UTF-16; save the file as UTF-8");
  if (bytes.size() % 2 != 0) {
    return damaged;
  }
  std::string text;
  text.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += 2) {
    uint32_t character = UnitAt(bytes, at, order);
    if (character >= kHigh && character < kEndOfLow) {
      const uint32_t low = at + 2 < bytes.size() ? UnitAt(bytes, at + 2, order) : 0;
      if (character >= kLow || low < kLow || low >= kEndOfLow) {
        return damaged;
      }
      character = 0x10000 + ((character - kHigh) << 10) + (low - kLow);
      at += 2;
    }
    AppendUtf8(character, text);
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> PlainText(absl::string_view bytes) {
  std::string text;
  if (absl::StartsWith(bytes, kUtf16LittleMark) || absl::StartsWith(bytes, kUtf16BigMark)) {
    const ByteOrder order = absl::StartsWith(bytes, kUtf16LittleMark) ? ByteOrder::kLittle : ByteOrder::kBig;
    absl::StatusOr<std::string> decoded = FromUtf16(bytes.substr(kUtf16LittleMark.size()), order);
    if (!decoded.ok()) {
      return decoded;
    }
    text = *std::move(decoded);
  } else {
    text = std::string(absl::StripPrefix(bytes, kUtf8Mark));
  }
  if (!absl::StrContains(text, "\n")) {
    std::replace(text.begin(), text.end(), '\r', '\n');
  }
  const absl::string_view line = absl::string_view(text).substr(0, text.find('\n'));
  const absl::string_view shown = absl::StripSuffix(line, "\r");
  if (absl::StartsWithIgnoreCase(shown, "sep=") && shown.size() <= 5) {
    text.erase(0, line.size());
  }
  return text;
}

}  // namespace lockstep
