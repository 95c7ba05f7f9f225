// Numbers of one column with the same number of decimals, for tables that people read rather than copy.
#ifndef LOCKSTEP_LIB_WORDING_EVEN_COLUMN_H_
#define LOCKSTEP_LIB_WORDING_EVEN_COLUMN_H_

#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// A cell, and the number that it shows in the unit of its column. A label or a blank cell has no number.
struct EvenCell {
  proto::Cell cell;
  bool has_number = false;
  double value = 0;
  double low = 0;  // extremes; both are `value` for a number without an interval
  double high = 0;
};

enum class IntervalText { kShown, kHidden };

// Returns the cells of a column with the texts "3.96 [3.89, 4.07]", or "3.96" if intervals are hidden. The narrowest
// interval sets the decimals: two digits of half its width, at most three decimals. Without intervals the smallest
// absolute value has three digits. Other fields of a cell stay, such as the exact number.
std::vector<proto::Cell> EvenColumn(const std::vector<EvenCell>& cells, IntervalText intervals);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_EVEN_COLUMN_H_
