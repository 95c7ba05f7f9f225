#include "lib/published/published_unit.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/published/excerpt.h"

namespace lockstep {
namespace {

// A unit that people print, and the conversion of a number in it to one of the audit's units.
struct Unit {
  absl::string_view name;
  absl::string_view conversion;  // named by the error; empty: one of the audit's own units
};

constexpr char kSeconds[] = "print seconds: move the point of as_printed, so that no digit changes";
constexpr char kBinary[] = "write GB or GB/s, and `# bytes_per_gigabyte = 1073741824` above the columns";
constexpr char kDecimal[] = "print GB or GB/s: move the point of as_printed, so that no digit changes";
constexpr char kBits[] = "divide by 8 and state this in a note: the digits are no longer those printed";

constexpr char kJoules[] = "print joules, Wh or kWh: move the point of as_printed, so that no digit changes";
constexpr char kWatts[] = "print watts: move the point of as_printed, so that no digit changes";
constexpr char kFraction[] = "write it in percent: move the point of as_printed by two, so that no digit changes";

constexpr Unit kUnits[] = {{"1", ""},          {"%", ""},         {"GB", ""},          {"GB/s", ""},
                           {"s", ""},          {"ms", kSeconds},  {"us", kSeconds},    {"min", ""},
                           {"h", ""},          {"GiB", kBinary},  {"GiB/s", kBinary},  {"MB", kDecimal},
                           {"MB/s", kDecimal}, {"MiB", ""},       {"Gbit/s", kBits},   {"Mbit/s", kBits},
                           {"images/s", ""},   {"samples/s", ""}, {"sequences/s", ""}, {"sentences/s", ""},
                           {"tokens/s", ""},   {"J", ""},         {"kJ", kJoules},     {"Wh", ""},
                           {"kWh", ""},        {"W", ""},         {"kW", kWatts}};

constexpr absl::string_view kRates[] = {"images/s", "samples/s", "sequences/s", "sentences/s", "tokens/s"};

// Units whose numbers are not converted, because no digits would be left as printed; with their size in seconds or
// joules.
struct LongUnit {
  absl::string_view name;
  double size;
};
constexpr LongUnit kTimes[] = {{"min", 60}, {"h", 3600}};
constexpr LongUnit kEnergies[] = {{"Wh", 3600}, {"kWh", 3.6e6}};

template <size_t kSize>
double SizeOf(const LongUnit (&units)[kSize], absl::string_view unit) {
  const auto found =
      std::find_if(std::begin(units), std::end(units), [&](const LongUnit& u) { return u.name == unit; });
  return found == std::end(units) ? 0 : found->size;
}

template <size_t kSize>
absl::string_view NameOf(const LongUnit (&units)[kSize], double size) {
  const auto found =
      std::find_if(std::begin(units), std::end(units), [&](const LongUnit& u) { return u.size == size; });
  return found == std::end(units) ? "" : found->name;
}

// Returns the remedy for a number of `quantity` that was typed in with `unit`; may be empty.
absl::string_view ConversionOf(const Unit& unit, proto::PublishedQuantity quantity) {
  if (unit.name == "1" && quantity == proto::EFFICIENCY_PERCENT) {
    return kFraction;
  }
  constexpr struct {
    absl::string_view unit;
    proto::PublishedQuantity quantity;
    absl::string_view remedy;
  } kOtherQuantities[] = {{"1", proto::COMMUNICATION_PERCENT, "its quantity is communication_fraction"},
                          {"%", proto::COMMUNICATION_FRACTION, "its quantity is communication_percent"},
                          {"MB", proto::TRAFFIC_GIGABYTES, "its quantity is traffic_megabytes"},
                          {"MB", proto::TRAFFIC_MEBIBYTES, "its quantity is traffic_megabytes"},
                          {"MiB", proto::TRAFFIC_GIGABYTES, "its quantity is traffic_mebibytes"},
                          {"MiB", proto::TRAFFIC_MEGABYTES, "its quantity is traffic_mebibytes"},
                          {"GB", proto::TRAFFIC_MEGABYTES, "its quantity is traffic_gigabytes"},
                          {"1", proto::SERIAL_PERCENT, "its quantity is serial_fraction"},
                          {"%", proto::SERIAL_FRACTION, "its quantity is serial_percent"}};
  for (const auto& other : kOtherQuantities) {
    if (unit.name == other.unit && quantity == other.quantity) {
      return other.remedy;
    }
  }
  return unit.conversion;
}

}  // namespace

absl::string_view UnitOf(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::EPOCH_SECONDS:
    case proto::STEP_SECONDS:
    case proto::ITERATION_SECONDS:
    case proto::COMPUTE_SECONDS:
    case proto::COMMUNICATION_SECONDS:
    case proto::LOADING_SECONDS:
    case proto::FORWARD_SECONDS:
    case proto::BACKWARD_SECONDS:
    case proto::OPTIMIZER_SECONDS:
    case proto::RUN_SECONDS:
    case proto::IDEAL_EPOCH_SECONDS:
      return "s";
    case proto::EPOCH_JOULES:
    case proto::RUN_JOULES:
    case proto::ITEM_JOULES:
      return "J";
    case proto::POWER_WATTS:
      return "W";
    case proto::BANDWIDTH_GIGABYTES_PER_SECOND:
      return "GB/s";
    case proto::TRAFFIC_GIGABYTES:
      return "GB";
    case proto::TRAFFIC_MEGABYTES:
      return "MB";
    case proto::TRAFFIC_MEBIBYTES:
      return "MiB";
    case proto::UTILIZATION_PERCENT:
    case proto::ACCURACY_PERCENT:
    case proto::SPEEDUP_PERCENT:
    case proto::EFFICIENCY_PERCENT:
    case proto::COMMUNICATION_PERCENT:
    case proto::SERIAL_PERCENT:
      return "%";
    case proto::ITEMS_PER_SECOND:
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
    case proto::IDEAL_ITEMS_PER_SECOND:
      return kRates[0];
    default:
      return "1";
  }
}

bool IsRateUnit(absl::string_view unit) {
  return std::find(std::begin(kRates), std::end(kRates), unit) != std::end(kRates);
}

double SecondsOfUnit(absl::string_view unit) { return SizeOf(kTimes, unit); }

absl::string_view UnitOfSeconds(double seconds) { return NameOf(kTimes, seconds); }

double JoulesOfUnit(absl::string_view unit) { return SizeOf(kEnergies, unit); }

absl::string_view UnitOfJoules(double joules) { return NameOf(kEnergies, joules); }

bool IsRate(proto::PublishedQuantity quantity) {
  return quantity == proto::ITEMS_PER_SECOND || quantity == proto::ITEMS_PER_SECOND_PER_DEVICE ||
         quantity == proto::IDEAL_ITEMS_PER_SECOND;
}

bool IsClockTime(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS || quantity == proto::ITERATION_SECONDS ||
         quantity == proto::RUN_SECONDS;
}

absl::Status CheckUnit(absl::string_view unit, proto::PublishedQuantity quantity) {
  const auto known = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == unit; });
  const bool is_long =
      (UnitOf(quantity) == "s" && SecondsOfUnit(unit) > 0) || (UnitOf(quantity) == "J" && JoulesOfUnit(unit) > 0);
  if (unit.empty() || unit == UnitOf(quantity) || (IsRate(quantity) && IsRateUnit(unit)) || is_long) {
    return absl::OkStatus();
  }
  if (known == std::end(kUnits)) {
    const auto name = [](std::string* out, const Unit& u) { absl::StrAppend(out, u.name); };
    return absl::InvalidArgumentError(
        absl::StrCat("unknown unit '", Excerpt(unit), "'; known: ", absl::StrJoin(kUnits, ", ", name)));
  }
  const absl::string_view conversion = ConversionOf(*known, quantity);
  return absl::InvalidArgumentError(
      absl::StrCat("unit ", unit, " contradicts ", absl::AsciiStrToLower(proto::PublishedQuantity_Name(quantity)),
                   ", which is in ", IsRate(quantity) ? absl::StrJoin(kRates, ", ") : std::string(UnitOf(quantity)),
                   conversion.empty() ? "" : "; ", conversion));
}

}  // namespace lockstep
