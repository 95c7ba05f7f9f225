#include "lib/base/flag_values.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/flag_range.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr double kBytesPerMebibyte = 1 << 20;
constexpr double kMaxMebibytes = 1e6;  // keeps the bytes an exact integer

// " from 1 to 1024", for a message; empty when the flag has no range.
std::string RangeOf(absl::string_view flag) {
  const FlagRange* const range = FindFlagRange(flag);
  return range == nullptr ? "" : RangeText(*range);
}

// `text` is a number; `number` is it.
absl::Status CheckElement(absl::string_view flag, absl::string_view text, long double number) {
  const FlagRange* const range = FindFlagRange(flag);
  if (range == nullptr) {
    return absl::InternalError(absl::StrCat("--", flag, " takes numbers and has no range; declare it by RANGED_FLAG"));
  }
  if (number >= range->least && number <= range->most) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": expected numbers", RangeText(*range), ", found ", text));
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<uint32_t> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtoi(text, &numbers.emplace_back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", text, "' is no number", RangeOf(flag), "; expected such as 1,2"));
    }
    RETURN_IF_ERROR(CheckElement(flag, text, numbers.back()));
  }
  return numbers;
}

absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtod(text, &numbers.emplace_back()) || !std::isfinite(numbers.back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", text, "' is no number", RangeOf(flag), "; expected such as 0.5,2"));
    }
    RETURN_IF_ERROR(CheckElement(flag, text, numbers.back()));
  }
  return numbers;
}

absl::StatusOr<uint64_t> ParseMebibytes(absl::string_view flag, double mebibytes) {
  if (!(mebibytes >= 0 && mebibytes <= kMaxMebibytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "=", mebibytes, ": expected 0 to ", kMaxMebibytes, " MiB"));
  }
  return static_cast<uint64_t>(mebibytes * kBytesPerMebibyte);
}

}  // namespace lockstep
