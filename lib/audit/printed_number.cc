#include "lib/audit/printed_number.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace lockstep {
namespace {

// What a chain of a few double operations can be off, relative: 10 roundings of 2^-53 each, about 1e-15, with room.
constexpr double kArithmetic = 1e-13;

double Slack(double exact, const PrintedNumber& printed) {
  return kArithmetic * std::max(std::abs(exact), std::abs(printed.value));
}

}  // namespace

absl::StatusOr<PrintedNumber> ParsePrintedNumber(absl::string_view digits) {
  const absl::string_view unsigned_digits = absl::StripPrefix(digits, "-");
  const size_t point = unsigned_digits.find('.');
  const bool plain = std::all_of(unsigned_digits.begin(), unsigned_digits.end(),
                                 [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  PrintedNumber number;
  if (!plain || unsigned_digits.empty() || unsigned_digits.back() == '.' || !absl::SimpleAtod(digits, &number.value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", digits, "' is not a plain decimal number such as 1.41695; leave units and signs like % out"));
  }
  const size_t decimals = point == absl::string_view::npos ? 0 : unsigned_digits.size() - point - 1;
  number.unit = std::pow(10.0, -static_cast<double>(decimals));
  return number;
}

bool RoundsTo(double exact, const PrintedNumber& printed) {
  return std::abs(exact - printed.value) <= 0.5 * printed.unit + Slack(exact, printed);
}

bool TruncatesTo(double exact, const PrintedNumber& printed) {
  const double beyond = printed.value < 0 ? printed.value - exact : exact - printed.value;
  const double slack = Slack(exact, printed);
  return beyond >= -slack && beyond < printed.unit - slack;
}

}  // namespace lockstep
