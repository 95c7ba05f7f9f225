// Formula of a convention with numbers in place of its symbols.
#ifndef LOCKSTEP_LIB_AUDIT_FORMULA_NUMBERS_H_
#define LOCKSTEP_LIB_AUDIT_FORMULA_NUMBERS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/audit/document.h"

namespace lockstep {

// Returns the formulas of a convention's text with the numbers of one place, separated by commas:
// "T_1/T_N, times of Q2" becomes "31.42/17.05". `images` is the number of images of an epoch; 0: unknown. The names of
// the tables are left out. A symbol that two inputs share, and N if the text gives N another value, stay as they are.
std::string WithNumbers(absl::string_view text, const std::vector<const Cell*>& inputs, const TablePlace& place,
                        double images);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_FORMULA_NUMBERS_H_
