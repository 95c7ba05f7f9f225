#include "lib/checks/junit.h"

#include "absl/strings/str_cat.h"
#include "lib/page/escape.h"

namespace lockstep {
namespace {

std::string LinesOf(const CheckRule& rule, const std::vector<CheckFinding>& findings) {
  std::string lines;
  for (const CheckFinding& finding : findings) {
    if (finding.rule == rule.name) {
      absl::StrAppend(&lines, EscapeHtml(finding.where), ": ", EscapeHtml(finding.text), "\n");
      for (const std::string& other : finding.others) {
        absl::StrAppend(&lines, EscapeHtml(finding.where), ": ", EscapeHtml(other), "\n");
      }
    }
  }
  return lines;
}

bool LookedAt(const CheckRule& rule, const CheckedKinds& kinds) {
  return (rule.of_records && kinds.records) || (rule.of_tables && kinds.tables);
}

}  // namespace

std::string JunitXml(const std::vector<CheckFinding>& findings, const CheckedKinds& kinds) {
  std::string cases;
  int failed = 0, skipped = 0;
  for (const CheckRule& rule : CheckRules()) {
    const std::string lines = LinesOf(rule, findings);
    absl::StrAppend(&cases, "  <testcase classname=\"report.check\" name=\"", rule.name, "\">\n");
    if (!LookedAt(rule, kinds)) {
      ++skipped;
      absl::StrAppend(&cases, "    <skipped message=\"no input of the kind that this rule checks\"/>\n");
    } else if (!lines.empty() && rule.fails) {
      ++failed;
      absl::StrAppend(&cases, "    <failure message=\"", EscapeHtml(rule.explanation), "\">", lines, "</failure>\n");
    } else if (!lines.empty()) {
      absl::StrAppend(&cases, "    <system-out>", lines, "</system-out>\n");
    }
    absl::StrAppend(&cases, "  </testcase>\n");
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- ", kJunitMark,
                      " -->\n<testsuite name=\"report.check\" tests=\"", CheckRules().size(), "\" failures=\"", failed,
                      "\" errors=\"0\" skipped=\"", skipped, "\">\n", cases, "</testsuite>\n");
}

}  // namespace lockstep
