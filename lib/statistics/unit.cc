#include "lib/statistics/unit.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

std::string HeadingOf(absl::string_view quantity, const Unit& unit) {
  return absl::StrCat(quantity, unit.name[0] == '\0' ? "" : ", ", unit.name);
}

}  // namespace lockstep
