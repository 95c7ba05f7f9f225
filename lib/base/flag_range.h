// The range of each flag that takes a number, said where the flag is declared:
//
//   RANGED_FLAG(uint32_t, epochs, 0, 0, kMaxEpochs, "Epochs of each point.");
//   RANGED_FLAG(std::vector<std::string>, batch, {}, 1, kMaxImages, "Exactly these batch sizes.");
//
// ParseFlags refuses what lies outside, before any work, and --help shows the range. InitMain starts no tool that has a
// number flag without one, and ParseNumberList reads no list without one, so that a new flag cannot forget it.
#ifndef LOCKSTEP_LIB_BASE_FLAG_RANGE_H_
#define LOCKSTEP_LIB_BASE_FLAG_RANGE_H_

#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Both ends are taken; of a time, seconds. Holds every uint64_t exactly.
struct FlagRange {
  long double least = 0;
  long double most = 0;
};

// Null when none was declared.
const FlagRange* FindFlagRange(absl::string_view flag);

// " from 0 to 1000000". Of a flag also " from 1s to 24h", and empty when it has no range.
std::string RangeText(const FlagRange& range);
std::string RangeText(const absl::CommandLineFlag& flag);

// InvalidArgument: the flag has a range, is no list (flag_values.h reads those), and its value lies outside, as
// infinity and NaN do. `text` is the value as it was given.
absl::Status CheckInRange(const absl::CommandLineFlag& flag, absl::string_view text);

// "60s" for "60" where the flag takes a time, and would take that one; else empty.
std::string WithUnit(const absl::CommandLineFlag& flag, absl::string_view text);

// Internal: it takes one number, or a time, and has no range.
absl::Status CheckHasRange(const absl::CommandLineFlag& flag);

// For the macro; returns true.
bool AddFlagRange(absl::string_view flag, FlagRange range);

}  // namespace lockstep

#define RANGED_FLAG(type, name, fallback, least, most, help) \
  ABSL_FLAG(type, name, fallback, help);                     \
  [[maybe_unused]] static const bool name##_has_range = ::lockstep::AddFlagRange(#name, {least, most})

#endif  // LOCKSTEP_LIB_BASE_FLAG_RANGE_H_
