// Units in which texts, tables and plots show the numbers of records. Records store seconds, bytes, bytes per second,
// FLOP per second and fractions.
#ifndef LOCKSTEP_LIB_STATISTICS_UNIT_H_
#define LOCKSTEP_LIB_STATISTICS_UNIT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Name of a unit together with its conversion. `size` is 1 / `scale`. Both are kept, because x * 1e-9 and x / 1e9 may
// differ in the last bit.
struct Unit {
  const char* name;  // "ms"; empty for a number without a unit
  double scale;      // factor that converts a stored number to this unit: 1e3 for ms
  double size;       // one of this unit as a stored number: 1e-3 for ms
};

inline constexpr Unit kNoUnit = {"", 1, 1};
inline constexpr Unit kPercent = {"%", 100, 0.01};

inline constexpr Unit kSeconds = {"s", 1, 1};
inline constexpr Unit kMilliseconds = {"ms", 1e3, 1e-3};
inline constexpr Unit kMicroseconds = {"us", 1e6, 1e-6};
inline constexpr Unit kNanoseconds = {"ns", 1e9, 1e-9};

inline constexpr Unit kKilobytes = {"kB", 1e-3, 1e3};
inline constexpr Unit kMegabytes = {"MB", 1e-6, 1e6};
inline constexpr Unit kGigabytes = {"GB", 1e-9, 1e9};
inline constexpr Unit kMebibytes = {"MiB", 0x1p-20, 0x1p20};
inline constexpr Unit kGibibytes = {"GiB", 0x1p-30, 0x1p30};

inline constexpr Unit kGigabytesPerSecond = {"GB/s", 1e-9, 1e9};
inline constexpr Unit kMicrosecondsPerMegabyte = {"us per MB", 1e12, 1e-12};
inline constexpr Unit kTeraflopsPerSecond = {"TFLOP/s", 1e-12, 1e12};

// Returns a number that was formatted in this unit with its name: "12.5 ms", or "1.97" without a unit.
std::string NumberWithUnit(absl::string_view number, const Unit& unit);

// Returns the title of a column or an axis: "time, ms", or "speed-up" for a number without a unit.
std::string HeadingOf(absl::string_view quantity, const Unit& unit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_STATISTICS_UNIT_H_
