#include "lib/comm_model/short_text.h"

#include "absl/strings/str_format.h"

namespace lockstep {

std::string ShortText(const proto::Quantity& quantity, const Unit& unit) {
  if (!quantity.has_value()) {
    return "-";
  }
  std::string text = absl::StrFormat("%.4g", quantity.value() * unit.scale);
  if (quantity.has_low() && quantity.low() < quantity.high()) {
    absl::StrAppendFormat(&text, " [%.4g, %.4g]", quantity.low() * unit.scale, quantity.high() * unit.scale);
  }
  return text;
}

}  // namespace lockstep
