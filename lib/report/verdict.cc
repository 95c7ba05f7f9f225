#include "lib/report/verdict.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "lib/report/sentences.h"
#include "lib/wording/cell.h"

namespace lockstep {

uint64_t CountPlots(const std::vector<proto::Section>& sections) {
  uint64_t plots = 0;
  for (const proto::Section& section : sections) {
    plots += section.plot_size();
  }
  return plots;
}

std::string VerdictText(const std::vector<proto::Section>& sections, uint64_t drawn) {
  std::set<std::string> answered;  // a set, because a question may have several sentences
  uint64_t warnings = 0;
  for (const proto::Section& section : sections) {
    warnings += section.warning_size();
    for (const proto::Claim& claim : section.claim()) {
      if (!claim.question().empty() && !claim.text().empty()) {
        answered.insert(claim.question());
      }
    }
  }
  const uint64_t plots = CountPlots(sections);
  return absl::StrCat(answered.size(), " of the lab's ", kLabQuestions, " questions answered, ",
                      drawn < plots ? absl::StrCat(drawn, " of ") : "", CountOf(plots, "plot"),
                      drawn < plots ? " drawn, " : ", ", CountOf(warnings, "warning"));
}

}  // namespace lockstep
