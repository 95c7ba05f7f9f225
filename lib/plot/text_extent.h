// Estimated width of drawn text, without its font.
#ifndef LOCKSTEP_LIB_PLOT_TEXT_EXTENT_H_
#define LOCKSTEP_LIB_PLOT_TEXT_EXTENT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the width of UTF-8 text in a sans-serif font of this size, in the unit of the size. Widths are those of
// DejaVu Sans, which is wider than Arial, Helvetica and Noto Sans, so that the text also fits in those fonts.
double TextWidth(absl::string_view text, double font_size);

// Returns the width of the widest line; 0 without lines.
double WidestLine(const std::vector<std::string>& lines, double font_size);

// Breaks the text at spaces into lines of at most `width`. A wider word has a line of its own.
std::vector<std::string> WrapText(absl::string_view text, double font_size, double width);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_TEXT_EXTENT_H_
