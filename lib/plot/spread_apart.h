// Positions of labels that would otherwise overlap.
#ifndef LOCKSTEP_LIB_PLOT_SPREAD_APART_H_
#define LOCKSTEP_LIB_PLOT_SPREAD_APART_H_

#include <vector>

namespace lockstep {

// Moves positions apart to at least `gap`. They keep their order; equal ones keep the order of the vector. None exceeds
// `high`, and if there is space for all, none is below `low`.
void SpreadApart(double gap, double low, double high, std::vector<double>& positions);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SPREAD_APART_H_
