#include "lib/published/quantity_unit.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_unit.h"

namespace lockstep {
namespace {

constexpr absl::string_view kTimes[] = {"s", "ms", "us", "min", "h", "mm:ss"};
constexpr absl::string_view kVolumes[] = {"GB", "GiB", "MB"};
constexpr absl::string_view kBandwidths[] = {"GB/s", "GiB/s", "MB/s", "Gbit/s", "Mbit/s"};

template <size_t kSize>
bool Contains(const absl::string_view (&units)[kSize], absl::string_view unit) {
  return std::find(std::begin(units), std::end(units), unit) != std::end(units);
}

}  // namespace

bool IsUnitOf(absl::string_view unit, proto::PublishedQuantity quantity) {
  const absl::string_view own = UnitOf(quantity);
  if (!unit.empty() && CheckUnit(unit, quantity).ok()) {
    return true;
  }
  if (IsRate(quantity)) {
    return IsRateUnit(unit);
  }
  if (own == "s") {
    return Contains(kTimes, unit);
  }
  if (own == "J" || own == "W") {
    return unit == (own == "J" ? "kJ" : "kW");
  }
  if (own == "GB" || own == "GB/s") {
    return own == "GB" ? Contains(kVolumes, unit) : Contains(kBandwidths, unit);
  }
  return unit == "1" || (own == "%" && unit == "%");
}

bool NeedsUnit(proto::PublishedQuantity quantity) { return UnitOf(quantity) != "1"; }

std::string MovePoint(absl::string_view digits, int power) {
  const size_t exponent = digits.find_first_of("eE");
  if (exponent != absl::string_view::npos) {
    int old = 0;
    return absl::SimpleAtoi(digits.substr(exponent + 1), &old)
               ? absl::StrCat(digits.substr(0, exponent), "e", old + power)
               : std::string(digits);
  }
  const absl::string_view sign = absl::StartsWith(digits, "-") ? "-" : "";
  const absl::string_view mantissa = digits.substr(sign.size());
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string all = absl::StrCat(mantissa.substr(0, point),
                                 point < mantissa.size() ? mantissa.substr(point + 1) : absl::string_view());
  int whole = static_cast<int>(point) + power;  // digits in front of the new point
  if (whole > static_cast<int>(all.size())) {
    const size_t zeros = std::min(all.find_first_not_of('0'), all.size() - 1);
    return absl::StrCat(sign, all.substr(zeros), "e", whole - static_cast<int>(all.size()));
  }
  if (whole < 1) {
    all.insert(0, static_cast<size_t>(1 - whole), '0');
    whole = 1;
  }
  const size_t split = static_cast<size_t>(whole), zeros = std::min(all.find_first_not_of('0'), split - 1);
  return absl::StrCat(sign, all.substr(zeros, split - zeros), split < all.size() ? "." : "", all.substr(split));
}

absl::StatusOr<PrintedQuantity> InUnitOfQuantity(proto::PublishedQuantity quantity, absl::string_view digits,
                                                 absl::string_view unit, double bytes_per_gigabyte) {
  constexpr double kGibibyte = 1073741824;  // 2^30
  PrintedQuantity read = {quantity, std::string(digits)};
  const absl::string_view own = UnitOf(quantity);
  if (quantity == proto::ACCURACY_PERCENT && unit == "1") {
    read.quantity = proto::ACCURACY_FRACTION;
    return read;
  }
  if (quantity == proto::ACCURACY_FRACTION && unit == "%") {
    read.quantity = proto::ACCURACY_PERCENT;
    return read;
  }
  const bool is_gibibyte = bytes_per_gigabyte == kGibibyte && (unit == "GiB" || unit == "GiB/s");
  if (is_gibibyte && IsUnitOf(unit, quantity)) {
    return read;
  }
  if (own == "s" && (unit == "ms" || unit == "us")) {
    read.digits = MovePoint(digits, unit == "ms" ? -3 : -6);
    return read;
  }
  if ((own == "J" && unit == "kJ") || (own == "W" && unit == "kW")) {
    read.digits = MovePoint(digits, 3);
    return read;
  }
  if ((own == "GB" && unit == "MB") || (own == "GB/s" && unit == "MB/s")) {
    read.digits = MovePoint(digits, -3);
    return read;
  }
  if (own == "%" && unit == "1" && quantity != proto::SPEEDUP_PERCENT) {
    read.digits = MovePoint(digits, 2);
    return read;
  }
  if (own == "s" && unit == "mm:ss") {  // ParseTableCell has converted clock times to seconds
    return absl::InvalidArgumentError("expected a clock time such as 2:05, like the unit states");
  }
  RETURN_IF_ERROR(CheckUnit(unit, quantity));
  read.unit_seconds = SecondsOfUnit(unit);
  read.unit_joules = JoulesOfUnit(unit);
  return read;
}

}  // namespace lockstep
