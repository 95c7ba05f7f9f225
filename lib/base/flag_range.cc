#include "lib/base/flag_range.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace lockstep {
namespace {

constexpr long double kMaxDigits = 1e20L;  // bound above every uint64_t

std::map<std::string, FlagRange>& Ranges() {
  static auto* ranges = new std::map<std::string, FlagRange>();
  return *ranges;
}

template <typename Number>
absl::optional<long double> As(const absl::CommandLineFlag& flag) {
  const auto value = flag.TryGet<Number>();
  return value.has_value() ? absl::optional<long double>(*value) : absl::nullopt;
}

// Returns true if the flag takes one number and may be left out.
bool IsOptionalNumber(const absl::CommandLineFlag& flag) { return flag.IsOfType<std::optional<uint32_t>>(); }

// Returns the value of a number flag, or the seconds of a time flag. Returns nullopt for any other type, and for an
// optional flag that was left out.
absl::optional<long double> NumberOf(const absl::CommandLineFlag& flag) {
  if (const auto time = flag.TryGet<absl::Duration>()) {
    return absl::ToDoubleSeconds(*time);
  }
  if (IsOptionalNumber(flag)) {
    const std::optional<uint32_t> number = *flag.TryGet<std::optional<uint32_t>>();
    return number.has_value() ? absl::optional<long double>(*number) : absl::nullopt;
  }
  for (const auto& as : {As<uint32_t>, As<int32_t>, As<uint64_t>, As<int64_t>, As<double>, As<float>}) {
    if (const absl::optional<long double> number = as(flag)) {
      return number;
    }
  }
  return absl::nullopt;
}

// Returns a whole number below kMaxDigits with all its digits, any other number by %g.
std::string NumberText(long double number) {
  return number == std::floor(number) && std::fabs(number) < kMaxDigits ? absl::StrFormat("%.0f", number)
                                                                        : absl::StrFormat("%g", number);
}

std::string TimeText(long double seconds) { return absl::FormatDuration(absl::Seconds(static_cast<double>(seconds))); }

}  // namespace

const FlagRange* FindFlagRange(absl::string_view flag) {
  const auto found = Ranges().find(std::string(flag));
  return found == Ranges().end() ? nullptr : &found->second;
}

std::string RangeText(const FlagRange& range) {
  return absl::StrCat(" from ", NumberText(range.min), " to ", NumberText(range.max));
}

std::string RangeText(const absl::CommandLineFlag& flag) {
  const FlagRange* const range = FindFlagRange(flag.Name());
  if (range != nullptr && flag.IsOfType<absl::Duration>()) {
    return absl::StrCat(" from ", TimeText(range->min), " to ", TimeText(range->max));
  }
  return range == nullptr ? "" : RangeText(*range);
}

absl::Status CheckInRange(const absl::CommandLineFlag& flag, absl::string_view text) {
  const FlagRange* const range = FindFlagRange(flag.Name());
  const absl::optional<long double> number = NumberOf(flag);
  if (range == nullptr || !number.has_value() || (*number >= range->min && *number <= range->max)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag.Name(), "=", text, ": expected a ",
                                                 flag.IsOfType<absl::Duration>() ? "time" : "number", RangeText(flag)));
}

std::string WithUnit(const absl::CommandLineFlag& flag, absl::string_view text) {
  const FlagRange* const range = FindFlagRange(flag.Name());
  const std::string seconds = absl::StrCat(text, "s");
  absl::Duration time;
  if (range == nullptr || !flag.IsOfType<absl::Duration>() || !absl::ParseDuration(seconds, &time)) {
    return "";
  }
  const double number = absl::ToDoubleSeconds(time);
  return number >= range->min && number <= range->max ? seconds : "";
}

absl::Status CheckHasRange(const absl::CommandLineFlag& flag) {
  if (FindFlagRange(flag.Name()) != nullptr || !(NumberOf(flag).has_value() || IsOptionalNumber(flag))) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("--", flag.Name(), " takes a number and has no range; declare it by RANGED_FLAG"));
}

bool AddFlagRange(absl::string_view flag, FlagRange range) {
  Ranges()[std::string(flag)] = range;
  return true;
}

}  // namespace lockstep
