#include "lib/published/printed_value.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_unit.h"

namespace lockstep {

absl::StatusOr<PrintedNumber> PrintedNumberOf(const proto::PublishedValue& value) {
  ASSIGN_OR_RETURN(PrintedNumber number, ParsePrintedNumber(value.as_printed()));
  if (value.unit_seconds() > 0) {
    number.value *= value.unit_seconds();
    number.unit *= value.unit_seconds();
  }
  return number;
}

std::string PrintedText(const proto::PublishedValue& value) {
  const absl::string_view unit = UnitOfSeconds(value.unit_seconds());
  return unit.empty() ? value.as_printed() : absl::StrCat(value.as_printed(), " ", unit);
}

}  // namespace lockstep
