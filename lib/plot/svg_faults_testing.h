// Measures a plot as gnuplot drew it, from the SVG alone. Test-only.
#ifndef LOCKSTEP_LIB_PLOT_SVG_FAULTS_TESTING_H_
#define LOCKSTEP_LIB_PLOT_SVG_FAULTS_TESTING_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep::testing {

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

struct SvgText {
  std::string text;
  Box box;
};

// Positions of all elements, in the units of the viewBox; y grows downwards.
struct SvgMeasures {
  Box drawing;  // the viewBox
  Box area;     // the area that the axes enclose
  std::vector<SvgText> x_ticks, y_ticks;
  std::vector<SvgText> others;  // axis labels, texts of the legend, letters of marks
  std::vector<std::string> ids;
};

SvgMeasures MeasureSvg(const std::string& svg);

// Returns the faults of the plot, one line each:
// - fewer than three labels on an axis of numbers, or not one label for each name;
// - texts that overlap or leave the drawing;
// - a text inside the area of the points;
// - a legend entry that is missing, or has no sample in front of it;
// - the same id twice.
std::vector<std::string> SvgFaults(const std::string& svg, const proto::Plot& plot);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PLOT_SVG_FAULTS_TESTING_H_
