// Range of a flag that takes a number, declared together with the flag:
//
//   RANGED_FLAG(uint32_t, epochs, 0, 0, kMaxEpochs, "Epochs of each point.");
//   RANGED_FLAG(std::vector<std::string>, batch_size, {}, 1, kMaxImages, "Exactly these batch sizes.");
//
// ParseFlags refuses a value outside the range before any work begins, and --help shows the range. A new number flag
// cannot lack a range: without one, InitMain ends the tool, and ParseNumberList returns an error.
#ifndef LOCKSTEP_LIB_BASE_FLAG_RANGE_H_
#define LOCKSTEP_LIB_BASE_FLAG_RANGE_H_

#include <string>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Closed interval of the allowed values, in seconds for a time flag. The type holds every uint64_t exactly.
struct FlagRange {
  long double min = 0;
  long double max = 0;
};

// Returns the declared range of the flag, or null if none was declared.
const FlagRange* FindFlagRange(absl::string_view flag);

// Returns " from 0 to 1000000"; for a time flag " from 1s to 24h", and for a flag without a range an empty text.
std::string RangeText(const FlagRange& range);
std::string RangeText(const absl::CommandLineFlag& flag);

// Returns InvalidArgumentError if the flag has a range and its value lies outside, like infinity and NaN. Lists are not
// checked here but in flag_values.h. `text` must be the value as the user wrote it.
absl::Status CheckInRange(const absl::CommandLineFlag& flag, absl::string_view text);

// Returns "60s" for "60" if the flag takes a time and 60s lies in its range, otherwise an empty text.
std::string WithUnit(const absl::CommandLineFlag& flag, absl::string_view text);

// Returns InternalError if the flag takes one number or a time and has no range.
absl::Status CheckHasRange(const absl::CommandLineFlag& flag);

// Declares the range of a flag and returns true. Only RANGED_FLAG may call this function.
bool AddFlagRange(absl::string_view flag, FlagRange range);

}  // namespace lockstep

#define RANGED_FLAG(type, name, fallback, min, max, help) \
  ABSL_FLAG(type, name, fallback, help);                  \
  [[maybe_unused]] static const bool name##_has_range = ::lockstep::AddFlagRange(#name, {min, max})

#endif  // LOCKSTEP_LIB_BASE_FLAG_RANGE_H_
