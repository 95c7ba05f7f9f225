#include "lib/base/flag_values.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr double kBytesPerMebibyte = 1 << 20;
constexpr double kMaxMebibytes = 1e6;  // keeps the bytes an exact integer

}  // namespace

absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<uint32_t> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtoi(text, &numbers.emplace_back())) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag, ": '", text, "' is no number; expected such as 1,2"));
    }
  }
  return numbers;
}

absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtod(text, &numbers.emplace_back()) || !std::isfinite(numbers.back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", text, "' is no number; expected such as 0.5,2"));
    }
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
