// Measures a plot as it was drawn, from the SVG alone. Test-only.
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
  Box area;     // the area that the axes of a plot without panels enclose
  std::vector<SvgText> x_ticks, y_ticks;
  std::vector<SvgText> others;      // axis labels, labels of lines, texts of the legend, letters of marks
  std::vector<std::string> titles;  // texts on hover, without that of the drawing
  int ids = 0;                      // number of ids
};

SvgMeasures MeasureSvg(const std::string& svg);

// Returns the first fault of the document as XML: a tag that is not closed, or a character that must be escaped.
// Returns an empty string if there is no fault.
std::string XmlFault(const std::string& svg);

// Returns the faults of the plot, one line each:
// - the document is not well-formed;
// - a tick or name without a label: fewer than three labels on an axis of numbers, unless fewer values occur;
// - texts that overlap or leave the drawing;
// - a text inside the area of the points;
// - a label of a series that is missing;
// - a point or bar without a text on hover;
// - an id, which could be there twice on a page of several plots.
std::vector<std::string> SvgFaults(const std::string& svg, const proto::Plot& plot);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PLOT_SVG_FAULTS_TESTING_H_
