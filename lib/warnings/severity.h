// Order of severity of the warnings.
#ifndef LOCKSTEP_LIB_WARNINGS_SEVERITY_H_
#define LOCKSTEP_LIB_WARNINGS_SEVERITY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/warnings/experiment_warnings.h"

namespace lockstep {

enum class Severity {
  kWrong,  // a number of the records is wrong, or belongs to other conditions than stated
  kWeak,   // a number is less certain than it looks
  kFact,   // no number is wrong, but a reader must know the fact before comparing
};

struct RuleSeverity {
  const char* rule;  // "noisy_machine"
  Severity severity;
  const char* phrase;  // two to five words: "a noisy machine"
};

// Returns all rules of NamedWarnings, the worst first.
const std::vector<RuleSeverity>& RulesBySeverity();

// Returns the severity of a rule. An unknown rule is kWeak, after all others.
RuleSeverity SeverityOf(absl::string_view rule);

// Sorts the warnings, the worst first. Those of one rule keep their order.
void SortBySeverity(std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_SEVERITY_H_
