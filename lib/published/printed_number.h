// A number as it stands on paper: its digits say how it was rounded.
#ifndef LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_
#define LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct PrintedNumber {
  double value = 0;
  double unit = 1;  // one of the last printed digit: 0.001 of "4.389", 1 of "26", 1e4 of "1.746490e+10"
};

// Takes an optional minus sign, digits, an optional fraction and an optional power of ten (1.746490e+10): what tables
// print. InvalidArgument: anything else.
absl::StatusOr<PrintedNumber> ParsePrintedNumber(absl::string_view digits);

// Whether `exact`, rounded to the printed digits, is the printed number. A tie may have gone either way.
bool RoundsTo(double exact, const PrintedNumber& printed);

// Whether some value within `slack` of `exact` rounds to the printed digits.
bool RoundsWithin(double exact, double slack, const PrintedNumber& printed);

// Whether `exact`, cut off after the printed digits, is the printed number.
bool TruncatesTo(double exact, const PrintedNumber& printed);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_
