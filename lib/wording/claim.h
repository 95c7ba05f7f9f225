// Helpers of the answer templates: they make a claim, and put a quantity into a sentence.
#ifndef LOCKSTEP_LIB_WORDING_CLAIM_H_
#define LOCKSTEP_LIB_WORDING_CLAIM_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/statistics/unit.h"

namespace lockstep {

// Make a claim with or without an answer. `question` is "Q1", `asked` the question in a few words.
proto::Claim Claimed(absl::string_view question, absl::string_view asked, const std::string& text,
                     const std::vector<std::string>& sources);
proto::Claim NotClaimed(absl::string_view question, absl::string_view asked, const std::string& absent_reason);

// Returns "0.103 s", or "not known (REASON)" if there is no value.
std::string FormatQuantity(const proto::Quantity& quantity, const Unit& unit);

// Returns "a", "a and b", "a, b and c".
std::string JoinAnd(const std::vector<std::string>& parts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_CLAIM_H_
