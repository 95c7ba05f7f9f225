// No-break spaces between numbers and units, so that no line of a page ends with "4" and begins with "%".
#ifndef LOCKSTEP_LIB_PAGE_UNIT_SPACE_H_
#define LOCKSTEP_LIB_PAGE_UNIT_SPACE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the page with U+00A0 in place of each space between a digit and a unit: "4 %", "0.101 s", "255 GB/s". Tags
// with their attributes, style sheets and code stay as they are.
std::string WithUnitSpaces(absl::string_view html);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_UNIT_SPACE_H_
