// Numbers of a printed table in the unit in which published.proto holds their quantity.
#ifndef LOCKSTEP_LIB_PUBLISHED_QUANTITY_UNIT_H_
#define LOCKSTEP_LIB_PUBLISHED_QUANTITY_UNIT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

struct PrintedQuantity {
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  std::string digits;
  double unit_seconds = 0;  // PublishedValue.unit_seconds
  double unit_joules = 0;   // PublishedValue.unit_joules
};

// Returns true if `unit` (label_words.h) is one of the quantity's: of time, energy, power, a rate, bytes, or a share. A
// share is in "%", or in "1" if it is a fraction.
bool IsUnitOf(absl::string_view unit, proto::PublishedQuantity quantity);

// Returns true if a number of this quantity cannot be read without a unit: a time, a rate, a share, bytes.
bool NeedsUnit(proto::PublishedQuantity quantity);

// Returns `digits` times 10^`power` by moving the point, or by an exponent if there are too few digits: for a power of
// 2, 0.97 becomes 97 and 0.9 becomes 9e1. `digits` must be a number as printed_number.h reads it.
std::string MovePoint(absl::string_view digits, int power);

// Returns the number in the unit of published_unit.h, or a time in minutes or hours and an energy in Wh or kWh as
// printed. Milliseconds, microseconds, kJ, kW and MB move the point, a fraction becomes percent, and an accuracy in "1"
// an accuracy_fraction. `bytes_per_gigabyte` is that of the document: GiB are only read if it is 2^30. An empty unit
// must not be given if NeedsUnit. Returns InvalidArgumentError, with a remedy, for a unit of another quantity, or one
// after whose conversion no digits are left as printed.
absl::StatusOr<PrintedQuantity> InUnitOfQuantity(proto::PublishedQuantity quantity, absl::string_view digits,
                                                 absl::string_view unit, double bytes_per_gigabyte);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_QUANTITY_UNIT_H_
