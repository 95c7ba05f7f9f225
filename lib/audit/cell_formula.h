// Conventions given by a formula of printed numbers. The slack and the value from printed intermediates are computed
// from the formula itself.
#ifndef LOCKSTEP_LIB_AUDIT_CELL_FORMULA_H_
#define LOCKSTEP_LIB_AUDIT_CELL_FORMULA_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/document.h"

namespace lockstep {

struct CellFormula {
  std::string text;  // "100 * T_comm / T_N, T_comm of Q3, T_N of Q1"
  int departures = 0;
  std::vector<std::string> flags;
  // Returns the inputs of a number at this place. A null element is an input that is not printed.
  std::function<std::vector<const Cell*>(const TablePlace&)> inputs;
  // Returns the value of a number at this place. A value that is not finite is no value, as after a division by 0.
  std::function<double(const std::vector<double>&, const TablePlace&)> value;
};

// Returns the convention of `formula`. It gives nothing at a place where an input is not printed, where two inputs are
// the same number, or where the value is not finite.
Convention MakeConvention(const CellFormula& formula);

// Returns the list that holds `flag`, or an empty list if `flag` is empty.
std::vector<std::string> ListOfFlag(const std::string& flag);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_CELL_FORMULA_H_
