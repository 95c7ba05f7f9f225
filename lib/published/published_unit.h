// Units of each kind of printed number.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns true for a rate: images, samples, sequences, sentences or tokens per second.
bool IsRate(proto::PublishedQuantity quantity);

// Returns true for a time that is read off a clock: of an epoch, of its steps, of one step, or of a run.
bool IsClockTime(proto::PublishedQuantity quantity);

// Returns true for a unit of a rate: "images/s", "samples/s", "sequences/s", "sentences/s" or "tokens/s".
bool IsRateUnit(absl::string_view unit);

// Returns the seconds of "min" or "h", the units in which a time keeps its digits (PublishedValue.unit_seconds); 0 for
// another unit.
double SecondsOfUnit(absl::string_view unit);

// Returns "min" for 60 and "h" for 3600; empty for other numbers.
absl::string_view UnitOfSeconds(double seconds);

// Returns the joules of "Wh" or "kWh", the units in which an energy keeps its digits (PublishedValue.unit_joules); 0
// for another unit.
double JoulesOfUnit(absl::string_view unit);

// Returns "Wh" for 3600 and "kWh" for 3.6e6; empty for other numbers.
absl::string_view UnitOfJoules(double joules);

// Returns "s", "J", "W", "GB/s", "GB", "MB", "MiB", "%", "images/s" (the first unit of a rate), or "1" for a quantity
// without a unit.
absl::string_view UnitOf(proto::PublishedQuantity quantity);

// Returns OK if `unit` is empty or a unit of the quantity; a time may also be in "min" or "h", and an
// energy in "Wh" or "kWh".
// InvalidArgument: `unit` is unknown, or of another quantity.
absl::Status CheckUnit(absl::string_view unit, proto::PublishedQuantity quantity);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
