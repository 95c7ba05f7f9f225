// Makes a proto::Quantity from a number or from the reason for its absence. An infinity or NaN is not a number: if a
// record holds such a time, the quantity is blank with that reason.
#ifndef LOCKSTEP_LIB_STATISTICS_QUANTITY_H_
#define LOCKSTEP_LIB_STATISTICS_QUANTITY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/statistics/spread.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

// Returns a mean over timed epochs, as measured by a clock.
proto::Quantity Measured(const Spread& spread, absl::string_view method);

// Returns a counted number, which has no spread.
proto::Quantity Counted(double value, absl::string_view method);

// Returns a formula's value. The kind of the interval is appended to the method, and a warning if the value is below 0.
proto::Quantity Derived(const Spread& spread, absl::string_view method);

// Returns a fit's value with its Student-t interval; infinite ends are omitted.
proto::Quantity Modelled(double value, const std::optional<Interval>& interval, double confidence,
                         absl::string_view method);

proto::Quantity Absent(absl::string_view reason);

// Returns Derived(*spread, method), or Absent(reason) if there is no spread.
proto::Quantity DerivedOr(const std::optional<Spread>& spread, absl::string_view method, absl::string_view reason);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_QUANTITY_H_
