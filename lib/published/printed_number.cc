#include "lib/published/printed_number.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/published/excerpt.h"

namespace lockstep {
namespace {

// Relative error of a few chained double operations: 10 roundings of 2^-53 each, about 1e-15, with a margin.
constexpr double kArithmetic = 1e-13;

// No table of times and bytes prints a larger power of ten. The limit keeps products of a few numbers finite.
constexpr int kLargestPower = 30;

double Arithmetic(double exact, const PrintedNumber& printed) {
  return kArithmetic * std::max(std::abs(exact), std::abs(printed.value));
}

}  // namespace

absl::StatusOr<PrintedNumber> ParsePrintedNumber(absl::string_view digits) {
  const size_t power = digits.find_first_of("eE");
  const absl::string_view mantissa = absl::StripPrefix(digits.substr(0, power), "-");
  const size_t point = mantissa.find('.');
  const bool plain =
      std::all_of(mantissa.begin(), mantissa.end(), [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  int exponent = 0;
  const bool scaled = power == absl::string_view::npos ||
                      (absl::SimpleAtoi(digits.substr(power + 1), &exponent) && std::abs(exponent) <= kLargestPower);
  PrintedNumber number;
  if (!plain || !scaled || mantissa.empty() || mantissa.back() == '.' || !absl::SimpleAtod(digits, &number.value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", Excerpt(digits),
                     "' is not a plain decimal number such as 1.41695 or 1.7e+10; leave units and signs like % out"));
  }
  const size_t decimals = point == absl::string_view::npos ? 0 : mantissa.size() - point - 1;
  number.unit = std::pow(10.0, exponent - static_cast<double>(decimals));
  return number;
}

bool RoundsTo(double exact, const PrintedNumber& printed) {
  return std::abs(exact - printed.value) <= 0.5 * printed.unit + Arithmetic(exact, printed);
}

bool RoundsWithin(double exact, double slack, const PrintedNumber& printed) {
  return std::abs(exact - printed.value) <= 0.5 * printed.unit + std::abs(slack) + Arithmetic(exact, printed);
}

bool TruncatesTo(double exact, const PrintedNumber& printed) {
  const double beyond = printed.value < 0 ? printed.value - exact : exact - printed.value;
  const double slack = Arithmetic(exact, printed);
  return beyond >= -slack && beyond < printed.unit - slack;
}

}  // namespace lockstep
