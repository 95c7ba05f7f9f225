#include "lib/wording/claim.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/wording/cell.h"

namespace lockstep {

proto::Claim Claimed(absl::string_view question, absl::string_view asked, const std::string& text,
                     const std::vector<std::string>& sources) {
  proto::Claim claim;
  claim.set_question(std::string(question));
  claim.set_asked(std::string(asked));
  claim.set_text(text);
  claim.mutable_source()->Add(sources.begin(), sources.end());
  return claim;
}

proto::Claim NotClaimed(absl::string_view question, absl::string_view asked, const std::string& absent_reason) {
  proto::Claim claim;
  claim.set_question(std::string(question));
  claim.set_asked(std::string(asked));
  claim.set_absent_reason(absent_reason);
  return claim;
}

std::string FormatQuantity(const proto::Quantity& quantity, const Unit& unit) {
  if (!quantity.has_value()) {
    return absl::StrCat("not known (", AbsentCell(quantity.absent_reason()).absent_reason(), ")");
  }
  return NumberWithUnit(FormatNumber(quantity.value() * unit.scale, 3), unit);
}

std::string JoinAnd(const std::vector<std::string>& parts) {
  if (parts.size() < 2) {
    return absl::StrJoin(parts, "");
  }
  return absl::StrCat(absl::StrJoin(parts.begin(), parts.end() - 1, ", "), " and ", parts.back());
}

}  // namespace lockstep
