// Makes a proto::Quantity of a number or of the reason why there is none. What is infinite or NaN is none: a record
// that holds such a time gives a blank with that reason.
#ifndef LOCKSTEP_LIB_STATISTICS_QUANTITY_H_
#define LOCKSTEP_LIB_STATISTICS_QUANTITY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/statistics/spread.h"
#include "lib/statistics/statistics.h"

namespace lockstep {

// A mean over timed epochs, as it was read off a clock.
proto::Quantity Measured(const Spread& spread, absl::string_view method);

// A number that was counted, and so has no spread.
proto::Quantity Counted(double value, absl::string_view method);

// A formula's value. The method gets the kind of the interval, and a warning when the value is below 0.
proto::Quantity Derived(const Spread& spread, absl::string_view method);

// A fit's value with what Student's t gives it; ends that are infinite are left out.
proto::Quantity Modelled(double value, const std::optional<Interval>& interval, double confidence,
                         absl::string_view method);

proto::Quantity Absent(absl::string_view reason);

// Derived(*spread, method), or Absent(reason) when there is no spread.
proto::Quantity DerivedOr(const std::optional<Spread>& spread, absl::string_view method, absl::string_view reason);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_QUANTITY_H_
