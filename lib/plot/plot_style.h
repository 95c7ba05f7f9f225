// Styles that distinguish series: by colour, and without colour by point shapes, bar patterns and dashes.
#ifndef LOCKSTEP_LIB_PLOT_PLOT_STYLE_H_
#define LOCKSTEP_LIB_PLOT_PLOT_STYLE_H_

#include <iterator>

#include "absl/strings/string_view.h"

namespace lockstep {

// Colours with a contrast above 3 on the page's four backgrounds, from white to near black.
inline constexpr absl::string_view kSeriesColors[] = {"#2274d5", "#d4690b", "#0c8f66", "#a259c4", "#c2453d", "#7d7f1a"};
inline constexpr absl::string_view kReferenceColor = "#808080";  // colour of ideal line, marks, grid

// Point types of gnuplot: filled circle, square, triangle up, triangle down, diamond, and the same five empty. These
// ten differ without colour.
inline constexpr int kPointTypes[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12};

// Fill patterns of gnuplot: filled, cross-hatched, empty, hatched one way, hatched the other way. The background shows
// through an empty pattern and through the gaps of a hatch.
inline constexpr int kPatterns[] = {3, 1, 4, 0, 5};

// Share of the distance between two names that bars, or dots side by side, fill.
inline constexpr double kBarShare = 0.7;

inline absl::string_view ColorOf(int series) {
  return kSeriesColors[series % static_cast<int>(std::size(kSeriesColors))];
}
inline int PointOf(int series) { return kPointTypes[series % static_cast<int>(std::size(kPointTypes))]; }
inline int PatternOf(int series) { return kPatterns[series % static_cast<int>(std::size(kPatterns))]; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_PLOT_STYLE_H_
