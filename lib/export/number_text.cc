#include "lib/export/number_text.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace lockstep {

std::string NumberText(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
  std::string text;
  for (const int digits : {15, 16, 17}) {
    double read = 0;
    text = absl::StrFormat("%.*g", digits, value);
    if (absl::SimpleAtod(text, &read) && read == value) {
      break;
    }
  }
  return text;
}

}  // namespace lockstep
