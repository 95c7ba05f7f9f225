// Printed numbers in the unit of their quantity. A time may be printed in minutes or hours, and an energy in Wh or kWh;
// the digits stay as printed.
#ifndef LOCKSTEP_LIB_PUBLISHED_PRINTED_VALUE_H_
#define LOCKSTEP_LIB_PUBLISHED_PRINTED_VALUE_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/published.pb.h"
#include "lib/published/printed_number.h"

namespace lockstep {

// Returns the number in the unit of its quantity (published_unit.h), and the value of 1 in its last digit in the same
// unit: 12.5 min is 750 s, and a 1 in the last digit is 6 s. Errors are those of ParsePrintedNumber.
absl::StatusOr<PrintedNumber> PrintedNumberOf(const proto::PublishedValue& value);

// Returns the digits as printed, with a unit of minutes, hours, Wh or kWh: "23.55", "12.5 min".
std::string PrintedText(const proto::PublishedValue& value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PRINTED_VALUE_H_
