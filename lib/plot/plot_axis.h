// The range of an axis and its labelled ticks: the values that occur, or else 1, 2 and 5 times powers of ten, at least
// three. Labels do not touch.
#ifndef LOCKSTEP_LIB_PLOT_PLOT_AXIS_H_
#define LOCKSTEP_LIB_PLOT_PLOT_AXIS_H_

#include <string>
#include <vector>

namespace lockstep {

struct Tick {
  double at = 0;
  std::string label;
};

struct Axis {
  bool log = false;
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;  // ascending, within [low, high]
};

struct AxisRequest {
  double low = 0;  // smallest and largest number that is drawn; must be above 0 on a logarithmic axis
  double high = 1;
  bool log = false;
  bool from_zero = false;  // linear axis: include 0 in the range
  bool whole = false;      // linear axis: labels must be whole numbers
  bool margin = false;     // linear axis: leave space outside the range; a logarithmic axis always does
  double length = 1;       // length of the drawn axis
  double font_size = 1;    // font size of the labels, in the unit of `length`
  bool horizontal = true;  // labels are next to each other; false: above each other
  // Ascending values from `low` to `high`, or empty. They become the ticks if all of them fit, on a logarithmic axis
  // also if every second, third, ... fits. The axis then has the range of these values.
  std::vector<double> occurring;
};

// Returns the axis. A range beyond 1e30, or below 1e-30 on a logarithmic axis, is drawn as from 1 to 10.
Axis MakeAxis(const AxisRequest& request);

// Returns the position of `value` as a share of the axis' length.
double PlaceOnAxis(const Axis& axis, double value);

// Returns "0.05", "1,000"; "1e+07" from ten million on.
std::string TickLabel(double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_PLOT_AXIS_H_
