// A printed number: its digits show how it was rounded.
#ifndef LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_
#define LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct PrintedNumber {
  double value = 0;
  double unit = 1;  // value of 1 in the last printed digit: 0.001 for "4.389", 1 for "26", 1e4 for "1.746490e+10"
};

// Parses an optional minus sign, digits, an optional fraction and an optional power of ten (1.746490e+10), the formats
// that tables print. InvalidArgument: anything else.
absl::StatusOr<PrintedNumber> ParsePrintedNumber(absl::string_view digits);

// Returns true if `exact`, rounded to the printed digits, is the printed number. A tie may be rounded either way.
bool RoundsTo(double exact, const PrintedNumber& printed);

// Returns true if some value within `slack` of `exact` rounds to the printed digits.
bool RoundsWithin(double exact, double slack, const PrintedNumber& printed);

// Returns true if `exact`, cut off after the printed digits, is the printed number.
bool TruncatesTo(double exact, const PrintedNumber& printed);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PRINTED_NUMBER_H_
