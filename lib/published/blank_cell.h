// Words that tables print where there is no number.
#ifndef LOCKSTEP_LIB_PUBLISHED_BLANK_CELL_H_
#define LOCKSTEP_LIB_PUBLISHED_BLANK_CELL_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns true for a word or a dash in the place of a number, in upper or lower case: OOM, "out of memory", N/A, NaN,
// "failed", "-", an en or em dash. An empty text is none of them.
bool StatesNoNumber(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_BLANK_CELL_H_
