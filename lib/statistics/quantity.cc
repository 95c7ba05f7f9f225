#include "lib/statistics/quantity.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

proto::Quantity Value(const Spread& spread, proto::Provenance provenance, std::string method) {
  if (!std::isfinite(spread.mean) || !std::isfinite(spread.low) || !std::isfinite(spread.high)) {
    return Absent(absl::StrCat("comes out as ", spread.mean, " in [", spread.low, ", ", spread.high, "]: ", method));
  }
  proto::Quantity quantity;
  quantity.set_value(spread.mean);
  quantity.set_provenance(provenance);
  if (spread.repeated) {
    quantity.set_low(spread.low);
    quantity.set_high(spread.high);
  }
  if (spread.mean < 0) {
    absl::StrAppend(&method, "; negative, and not clamped");
  }
  quantity.set_method(std::move(method));
  return quantity;
}

}  // namespace

proto::Quantity Measured(const Spread& spread, absl::string_view method) {
  return Value(
      spread, proto::MEASURED,
      absl::StrCat(method, spread.repeated ? "; interval: smallest and largest" : "; measured once: no interval"));
}

proto::Quantity Counted(double value, absl::string_view method) {
  return Value(Exactly(value), proto::MEASURED, std::string(method));
}

proto::Quantity Derived(const Spread& spread, absl::string_view method) {
  return Value(spread, proto::DERIVED,
               absl::StrCat(method, spread.repeated ? "; interval: extremes of single measurements" : ""));
}

proto::Quantity Modelled(double value, const std::optional<Interval>& interval, double confidence,
                         absl::string_view method) {
  proto::Quantity quantity;
  quantity.set_value(value);
  quantity.set_provenance(proto::MODELLED);
  quantity.set_method(std::string(method));
  if (interval.has_value() && std::isfinite(interval->low) && std::isfinite(interval->high)) {
    quantity.set_low(interval->low);
    quantity.set_high(interval->high);
    quantity.set_method(absl::StrCat(method, "; interval: ", 100 * confidence, " %, Student's t"));
  }
  return quantity;
}

proto::Quantity Absent(absl::string_view reason) {
  proto::Quantity quantity;
  quantity.set_absent_reason(std::string(reason));
  return quantity;
}

proto::Quantity DerivedOr(const std::optional<Spread>& spread, absl::string_view method, absl::string_view reason) {
  return spread.has_value() ? Derived(*spread, method) : Absent(reason);
}

}  // namespace lockstep
