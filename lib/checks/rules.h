// The rules of `report --check`: one list of names and explanations for records, published tables, their tests and
// readers. Sources: the mistakes that hand-ins of this lab make, and what the warnings of a report say.
#ifndef LOCKSTEP_LIB_CHECKS_RULES_H_
#define LOCKSTEP_LIB_CHECKS_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

struct CheckRule {
  const char* name;         // "parts_do_not_sum"
  const char* explanation;  // what is wrong with numbers that break it, one sentence
  bool fails;       // a broken one fails the check; else it is a remark: no number is wrong, but a reader must know
  bool of_records;  // looked at in records
  bool of_tables;   // looked at in published tables
};

// In the order in which they are listed. A name occurs once.
const std::vector<CheckRule>& CheckRules();

// Null: there is none of this name.
const CheckRule* FindCheckRule(absl::string_view name);

// One place where a rule is broken.
struct CheckFinding {
  std::string rule;   // a name of CheckRules()
  std::string where;  // "sweep.rec, batch 32", "hand_in_000.textproto, Table 2"
  std::string text;   // the numbers that broke it, a sentence
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_RULES_H_
