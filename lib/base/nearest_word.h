// Search for the word that a user probably meant, for messages such as "did you mean --model?".
#ifndef LOCKSTEP_LIB_BASE_NEAREST_WORD_H_
#define LOCKSTEP_LIB_BASE_NEAREST_WORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the number of letters to insert, leave out, replace, or swap with their neighbour that turns one word into
// the other (optimal string alignment; Damerau 1964).
int EditDistance(absl::string_view a, absl::string_view b);

// Returns the nearest of `words`, the first of equally near words, or an empty text if no word is near. A candidate is
// near if
//   - the candidate is a known synonym ("cuda" for "gpu"),
//   - the candidate differs from `word` in case only, or in at most a third of the letters (one of a short word),
//   - `word` is the candidate's initials ("lr" for learning_rate),
//   - one of the two is a part of the other between underscores ("rate" and "learning_rate"), or
//   - `word` begins with the candidate ("modelname" and "model").
std::string NearestWord(absl::string_view word, const std::vector<std::string>& words);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_NEAREST_WORD_H_
