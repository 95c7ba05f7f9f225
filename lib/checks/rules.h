// The rules of `report --check`: one list of names and explanations for records, published tables, their tests and
// their readers. Sources: common mistakes in hand-ins of this lab, and the warnings of a report.
#ifndef LOCKSTEP_LIB_CHECKS_RULES_H_
#define LOCKSTEP_LIB_CHECKS_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

struct CheckRule {
  const char* name;         // "parts_do_not_sum"
  const char* explanation;  // sentence on the error in numbers that break the rule
  bool fails;               // true: fails the check; false: a remark, because no number is wrong but a reader must know
  bool of_records;          // true: applies to records
  bool of_tables;           // true: applies to published tables
};

// Returns the rules in the order of printing. A name occurs once.
const std::vector<CheckRule>& CheckRules();

// Returns null if there is no rule of this name.
const CheckRule* FindCheckRule(absl::string_view name);

// One place where a rule is broken.
struct CheckFinding {
  std::string rule;                      // a name of CheckRules()
  std::string where;                     // "sweep.rec, batch 32", "hand_in_000.textproto, Table 2"
  std::string text;                      // sentence with the numbers that broke the rule
  std::vector<std::string> others = {};  // one sentence for each further number of this place that breaks the rule
};

// Returns the text, followed by the number of the others: "... And 2 more of this table."
std::string FindingText(const CheckFinding& finding);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_RULES_H_
