// The warnings of a lab in a few sentences, for documents that have no room for all of them.
#ifndef LOCKSTEP_LIB_WARNINGS_LIMITS_H_
#define LOCKSTEP_LIB_WARNINGS_LIMITS_H_

#include <string>
#include <vector>

#include "lib/warnings/experiment_warnings.h"

namespace lockstep {

// Returns one sentence for each rule of `warnings`, the worst rule first (severity.h): the first sentence of the rule's
// first warning. If the rule has more warnings, the sentence ends with their number: "(2 more warnings of this kind)".
std::vector<std::string> LimitSentences(std::vector<Warning> warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_LIMITS_H_
