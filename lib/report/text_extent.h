// How wide a text is drawn, as far as that is known without its font.
#ifndef LOCKSTEP_LIB_REPORT_TEXT_EXTENT_H_
#define LOCKSTEP_LIB_REPORT_TEXT_EXTENT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Width of UTF-8 text in a sans-serif font of this size, in the unit of the size. The widths are those of DejaVu Sans,
// which is wider than Arial, Helvetica and Noto Sans, so that what has room by this has room by them.
double TextWidth(absl::string_view text, double font_size);

// The text in lines no wider than this, broken at spaces; a word that is wider has a line of its own.
std::vector<std::string> WrapText(absl::string_view text, double font_size, double width);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_TEXT_EXTENT_H_
