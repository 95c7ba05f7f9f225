#include "lib/base/readable_number.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

// Returns a number below 1,000 with three significant digits: "205", "20.5", "2.05".
std::string ThreeDigits(double value) {
  return absl::StrFormat("%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
}

}  // namespace

std::string SecondsText(double seconds) {
  if (seconds == 0) {
    return "0 s";
  }
  const double size = std::fabs(seconds);
  const double unit = size >= 0.9995 ? 1 : size >= 0.9995e-3 ? 1e-3 : 1e-6;
  return absl::StrFormat("%s%s %s", seconds < 0 ? "-" : "", ThreeDigits(size / unit),
                         unit == 1      ? "s"
                         : unit == 1e-3 ? "ms"
                                        : "us");
}

std::string BytesText(double bytes) {
  return bytes >= 999.5e6   ? absl::StrFormat("%s GB", ThreeDigits(bytes / 1e9))
         : bytes >= 999.5e3 ? absl::StrFormat("%s MB", ThreeDigits(bytes / 1e6))
         : bytes >= 999.5   ? absl::StrFormat("%s kB", ThreeDigits(bytes / 1e3))
                            : absl::StrFormat("%.0f bytes", bytes);
}

}  // namespace lockstep
