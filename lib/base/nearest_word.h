// The word that somebody probably meant: for "did you mean --model?".
#ifndef LOCKSTEP_LIB_BASE_NEAREST_WORD_H_
#define LOCKSTEP_LIB_BASE_NEAREST_WORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Letters to insert, leave out, replace, or swap with their neighbour, to make one word the other (optimal string
// alignment; Damerau 1964).
int EditDistance(absl::string_view a, absl::string_view b);

// The one of `words` that is nearest to `word`: the same in other case; at most a third of the letters away (1 of a
// short word); its initials ("lr" of learning_rate); or one of the two is a part, between underscores, of the other
// ("num_workers"). The first of equally near ones, and empty when none is near.
std::string NearestWord(absl::string_view word, const std::vector<std::string>& words);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_NEAREST_WORD_H_
