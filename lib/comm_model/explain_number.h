// Stage of `comm_model --audit=TABLES --explain=WORDS`: the derivation of one printed number.
#ifndef LOCKSTEP_LIB_COMM_MODEL_EXPLAIN_NUMBER_H_
#define LOCKSTEP_LIB_COMM_MODEL_EXPLAIN_NUMBER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/published/published_tables.h"

namespace lockstep {

// Returns the derivation (lib/audit/derivation.h) of the number of `files` that `words` describes
// (lib/audit/number_choice.h).
// InvalidArgument, with --explain and the remedy: no number, or more than one.
absl::StatusOr<std::string> ExplainNumber(const std::vector<PublishedFile>& files, const std::string& words);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_EXPLAIN_NUMBER_H_
