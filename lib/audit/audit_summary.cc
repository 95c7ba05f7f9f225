#include "lib/audit/audit_summary.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

void Count(proto::Finding finding, proto::AuditSummary& summary) {
  switch (finding) {
    case proto::GIVEN:
      return summary.set_given(summary.given() + 1);
    case proto::REPRODUCED:
      return summary.set_reproduced(summary.reproduced() + 1);
    case proto::AMBIGUOUS:
      return summary.set_ambiguous(summary.ambiguous() + 1);
    case proto::COULD_BE_CHANCE:
      return summary.set_could_be_chance(summary.could_be_chance() + 1);
    default:
      return summary.set_not_reproducible(summary.not_reproducible() + 1);
  }
}

void CountConvention(const std::string& convention, proto::AuditSummary& summary) {
  auto& counts = *summary.mutable_convention();
  auto it = std::find_if(counts.begin(), counts.end(),
                         [&](const proto::ConventionCount& count) { return count.convention() == convention; });
  proto::ConventionCount& count = it == counts.end() ? *counts.Add() : *it;
  count.set_convention(convention);
  count.set_numbers(count.numbers() + 1);
}

// Returns a sentence such as "5 of 6 reproduced: T_1/T_N (5); 1 not reproducible; 3 given".
std::string Sentence(const proto::AuditSummary& summary) {
  const uint32_t computed =
      summary.reproduced() + summary.ambiguous() + summary.could_be_chance() + summary.not_reproducible();
  std::vector<std::string> parts;
  if (computed > 0) {
    const auto as = [](std::string* out, const proto::ConventionCount& count) {
      absl::StrAppend(out, count.convention(), " (", count.numbers(), ")");
    };
    parts.push_back(absl::StrCat(summary.reproduced(), " of ", computed, " reproduced",
                                 summary.convention().empty() ? "" : ": ",
                                 absl::StrJoin(summary.convention(), " | ", as)));
  }
  const auto add = [&](uint32_t count, const char* what) {
    if (count > 0) {
      parts.push_back(absl::StrCat(count, " ", what));
    }
  };
  add(summary.ambiguous(), "ambiguous");
  add(summary.could_be_chance(), "could be chance");
  add(summary.not_reproducible(), "not reproducible");
  add(summary.given(), "given");
  return parts.empty() ? "no numbers" : absl::StrJoin(parts, "; ");
}

}  // namespace

proto::AuditSummary Summarize(const proto::AuditTable& table) {
  proto::AuditSummary summary;
  for (const proto::AuditedValue& value : table.value()) {
    Count(value.finding(), summary);
    if (value.finding() == proto::REPRODUCED && !value.reproduced_by().empty()) {
      CountConvention(value.reproduced_by(0).convention(), summary);
    }
  }
  summary.set_sentence(Sentence(summary));
  return summary;
}

}  // namespace lockstep
