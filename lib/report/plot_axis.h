// The range of an axis and where its labelled ticks stand: 1, 2 and 5 times powers of ten, three of them at least, and
// none so near to another that their labels touch.
#ifndef LOCKSTEP_LIB_REPORT_PLOT_AXIS_H_
#define LOCKSTEP_LIB_REPORT_PLOT_AXIS_H_

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
  double low = 0;  // the least and the largest number that is drawn; of a logarithm's axis above 0
  double high = 1;
  bool log = false;
  bool from_zero = false;         // of a linear axis: 0 is in sight
  bool whole = false;             // of a linear axis: labels are whole numbers
  bool margin = false;            // of a linear axis: room beside its outermost numbers; a logarithm's always has some
  double length = 1;              // of the axis as drawn
  double font_size = 1;           // of its labels, in the unit of `length`
  bool horizontal = true;         // labels stand beside each other; else above each other
  std::vector<double> occurring;  // ascending; ticks stand here where they are three or more and have room
};

// A range beyond 1e30, and on a logarithm's axis below 1e-30, is drawn as from 1 to 10.
Axis MakeAxis(const AxisRequest& request);

// Where `value` is drawn, as a share of the axis' length.
double PlaceOnAxis(const Axis& axis, double value);

// "0.05", "1,000"; "1e+07" from ten millions on.
std::string TickLabel(double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOT_AXIS_H_
