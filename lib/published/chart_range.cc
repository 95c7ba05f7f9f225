#include "lib/published/chart_range.h"

#include <cmath>
#include <limits>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/excerpt.h"
#include "lib/published/printed_number.h"

namespace lockstep {
namespace {

constexpr double kRounding = 1e-6;  // relative; larger than that of a mean in single precision, 6e-8
constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<double> LimitOf(absl::string_view cell, double otherwise) {
  if (cell.empty() || cell == "NaN") {
    return otherwise;
  }
  ASSIGN_OR_RETURN(const PrintedNumber limit, ParsePrintedNumber(cell));
  return limit.value;
}

}  // namespace

absl::Status CheckChartRange(absl::string_view digits, absl::string_view min, absl::string_view max) {
  ASSIGN_OR_RETURN(const PrintedNumber number, ParsePrintedNumber(digits));
  ASSIGN_OR_RETURN(const double low, LimitOf(min, -kInfinity));
  ASSIGN_OR_RETURN(const double high, LimitOf(max, kInfinity));
  const double slack = kRounding * std::abs(number.value);
  if (number.value >= low - slack && number.value <= high + slack) {
    return absl::OkStatus();
  }
  const bool is_low = number.value < low;
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a number ", is_low ? "of at least " : "of at most ", Excerpt(is_low ? min : max), ", its ",
      is_low ? "__MIN" : "__MAX", ", found ", Excerpt(digits), "; export the chart again, without smoothing"));
}

}  // namespace lockstep
