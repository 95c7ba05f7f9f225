#include "lib/published/printed_value.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_unit.h"

namespace lockstep {

absl::StatusOr<PrintedNumber> PrintedNumberOf(const proto::PublishedValue& value) {
  ASSIGN_OR_RETURN(PrintedNumber number, ParsePrintedNumber(value.as_printed()));
  for (const double unit : {value.unit_seconds(), value.unit_joules()}) {
    number.value *= unit > 0 ? unit : 1;
    number.unit *= unit > 0 ? unit : 1;
  }
  return number;
}

std::string PrintedText(const proto::PublishedValue& value) {
  const absl::string_view unit =
      value.unit_joules() > 0 ? UnitOfJoules(value.unit_joules()) : UnitOfSeconds(value.unit_seconds());
  return unit.empty() ? value.as_printed() : absl::StrCat(value.as_printed(), " ", unit);
}

}  // namespace lockstep
