#include "lib/statistics/unit.h"

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

std::string Append(absl::string_view text, absl::string_view separator, absl::string_view name) {
  return absl::StrCat(text, name.empty() ? "" : separator, name);
}

}  // namespace

std::string NumberWithUnit(absl::string_view number, const Unit& unit) { return Append(number, " ", unit.name); }

std::string HeadingOf(absl::string_view quantity, const Unit& unit) { return Append(quantity, ", ", unit.name); }

}  // namespace lockstep
