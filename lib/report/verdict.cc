#include "lib/report/verdict.h"

#include "absl/strings/str_cat.h"
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
  std::string answers;
  uint64_t warnings = 0;
  for (const proto::Section& section : sections) {
    warnings += section.warning_size();
    if (!section.summary().answers().empty()) {
      answers = absl::StrCat(section.summary().answers(), ", ");
    }
  }
  const uint64_t plots = CountPlots(sections);
  return absl::StrCat(answers, drawn < plots ? absl::StrCat(drawn, " of ") : "", CountOf(plots, "plot"),
                      drawn < plots ? " drawn, " : ", ", CountOf(warnings, "warning"));
}

}  // namespace lockstep
