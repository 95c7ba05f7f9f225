#include "lib/plot/text_extent.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

// Advance widths of DejaVu Sans 2.37 relative to its em (units of 1/2048: 651/2048 for a space, ...), rounded up, by
// class.
double WidthOf(unsigned char c) {
  constexpr absl::string_view kNarrow = "ijlI.,:;'| ";     // 0.28 to 0.34
  constexpr absl::string_view kSlim = "frt()[]-/\\!J";     // 0.29 to 0.41
  constexpr absl::string_view kBroad = "ABDGHKNOQRUVXwC";  // 0.69 to 0.82
  constexpr absl::string_view kWide = "mMW%@+=<>~#_";      // 0.50 to 1.00
  const char letter = static_cast<char>(c);
  return kNarrow.find(letter) != absl::string_view::npos  ? 0.34
         : kSlim.find(letter) != absl::string_view::npos  ? 0.42
         : kBroad.find(letter) != absl::string_view::npos ? 0.82
         : kWide.find(letter) != absl::string_view::npos  ? 1.0
                                                          : 0.65;
}

}  // namespace

double TextWidth(absl::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    width += !BeginsCharacter(c) ? 0 : byte >= 0x80 ? 0.84 : WidthOf(byte);
  }
  return width * font_size;
}

double WidestLine(const std::vector<std::string>& lines, double font_size) {
  double width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, TextWidth(line, font_size));
  }
  return width;
}

std::vector<std::string> WrapText(absl::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::string longer = lines.empty() ? std::string(word) : absl::StrCat(lines.back(), " ", word);
    if (lines.empty() || TextWidth(longer, font_size) > width) {
      lines.emplace_back(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

}  // namespace lockstep
