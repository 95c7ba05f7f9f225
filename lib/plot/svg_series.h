// Looks of a series in SVG: classes, marker and dash by its index, and the texts that a reader sees on hover.
#ifndef LOCKSTEP_LIB_PLOT_SVG_SERIES_H_
#define LOCKSTEP_LIB_PLOT_SVG_SERIES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/plot/svg_writer.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

inline constexpr int kSeriesClasses = 4;    // c1 to c4, k1 to k4, d2 to d4 of the style sheet
inline constexpr double kMarkRadius = 4.5;  // the radius of the markers, in units of the drawing
inline constexpr double kHitRadius = 11;    // the radius within which the pointer shows a point's values

// Returns "c2": `letter` and the number of the colour of this series.
std::string SeriesClass(char letter, int series);

// Returns the classes of the series' line: colour and dash; the base line's if the series is a reference.
std::string LineClasses(const proto::Plot& plot, int series);

// Draws the marker of a series. Twenty markers differ in shape or colour, ten of them without colour: five shapes,
// filled and hollow. Markers of modelled series are hollow.
void DrawMarker(const proto::Plot& plot, int series, double x, double y, SvgWriter& out, double radius = kMarkRadius);

// Returns "0.0123", "98.4" or "12,500": four significant digits.
std::string ValueText(double value);

// Returns the lines that are shown on hover: series, x, and y with its interval.
std::string PointTitle(const proto::Plot& plot, const proto::Series& series, int point);

// Opens a group with this title and a transparent circle, within which a browser shows the title.
void OpenPoint(absl::string_view title, double x, double y, SvgWriter& out, double radius = kHitRadius);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_SERIES_H_
