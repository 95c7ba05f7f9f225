// Values of flags that Abseil has no type for: lists of counts, and sizes in MiB.
#ifndef LOCKSTEP_LIB_BASE_FLAG_VALUES_H_
#define LOCKSTEP_LIB_BASE_FLAG_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The numbers of --FLAG=1,2,4, already cut at the commas. InvalidArgument names the flag and the first text that is no
// number of 32 bits, or outside of the flag's range (flag_range.h). Internal: the flag was declared without one.
absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts);

// The same for numbers with a fraction. Errors likewise: a text that is no finite number.
absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts);

// Bytes of --FLAG=25 (MiB, fractions allowed), rounded down. InvalidArgument: not from 0 to 1e6.
absl::StatusOr<uint64_t> ParseMebibytes(absl::string_view flag, double mebibytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_FLAG_VALUES_H_
